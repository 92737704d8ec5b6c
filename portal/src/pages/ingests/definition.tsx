import { useState } from 'preact/hooks'
import { TableFrame } from '../../parts/table-frame.tsx'
import { mayDo } from '../../session/session.ts'
import { AddField } from './add-field.tsx'
import type { ShownIngest } from './side.ts'

export function Definition({ ingest, onChanged }: { readonly ingest: ShownIngest; onChanged(): void }) {
  const [adding, add] = useState(false)
  const { kind, entity, fields, duplicates, unknown } = ingest
  return (
    <>
      <dl class="inside pairs">
        <dt>Kind</dt>
        <dd>{kind}</dd>
        {kind === 'series' && (
          <>
            <dt>Feeds the entity</dt>
            <dd dir="auto">{entity}</dd>
          </>
        )}
        {duplicates !== undefined && (
          <>
            <dt>Same time and tags</dt>
            <dd>{duplicates === 'keep' ? 'all are stored' : 'the later one replaces the earlier'}</dd>
          </>
        )}
        {unknown === 'add' && (
          <>
            <dt>Unknown properties</dt>
            <dd>become fields when a first row has them</dd>
          </>
        )}
      </dl>
      <FieldTable fields={fields} />
      {mayDo('admin') && (
        <div class="inside actions">
          <button type="button" class="button" onClick={() => add(true)}>
            Add a field…
          </button>
        </div>
      )}
      {adding && <AddField ingest={ingest} source="" value="" onClose={() => add(false)} onChanged={onChanged} />}
    </>
  )
}

function FieldTable({ fields }: Pick<ShownIngest, 'fields'>) {
  return (
    <TableFrame name="Fields">
      <thead>
        <tr>
          <th>Field</th>
          <th>Pushed as</th>
          <th>Type</th>
          <th>Role</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, source, type, role, added }) => (
          <tr key={name}>
            <td class="main mono">{name}</td>
            <td class="mono" dir="auto">
              {source}
            </td>
            <td>{type}</td>
            <td>
              <span class="label-tag">{role}</span>
              {added === 'by_row' && <span class="small soft"> added by a row</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}
