import type { StorageAnswer } from '../../../../src/client/answers.ts'
import { EntityName } from '../../parts/entity-name.tsx'
import { bytesText, countText, plural } from '../../parts/formats.ts'
import { Empty, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Time } from '../../parts/time.tsx'
import { useQuery } from '../../shell/asking.ts'

const shownEntities = 1000

/** The disk usage of each entity, largest first. */
export function EntitySizes() {
  const storage = useQuery((client) => client.storage({ limit: shownEntities }), ['storage'], { everyMs: 15_000 })
  const items = storage.value?.Items ?? null
  return (
    <Panel title="On disk, by entity" tools={items !== null && items.length > 0 && <Sum items={items} />}>
      <ProblemNote error={storage.error} />
      {items === null && storage.error === null && <Waiting />}
      {items?.length === 0 && (
        <Empty title="No entity yet">
          <p>A series ingest feeds one.</p>
        </Empty>
      )}
      {items !== null && items.length > 0 && <EntityFiles items={items} />}
      {storage.value !== null && storage.value.NextToken !== null && (
        <p class="inside soft small">
          The first {countText(shownEntities)} by name are shown. <code>tidemark storage</code> lists all.
        </p>
      )}
    </Panel>
  )
}

function Sum({ items }: { readonly items: readonly StorageAnswer[] }) {
  const sum = (of: 'files' | 'bytes'): number => items.reduce((all, item) => all + item[of], 0)
  return (
    <span class="soft small">
      {plural(sum('files'), 'file')}, {bytesText(sum('bytes'))}
    </span>
  )
}

function EntityFiles({ items }: { readonly items: readonly StorageAnswer[] }) {
  const most = Math.max(1, ...items.map(({ bytes }) => bytes))
  return (
    <div class="capped">
      <TableFrame name="On disk, by entity">
        <thead>
          <tr>
            <th>Entity</th>
            <th class="right">Size</th>
            <th>
              <span class="unseen">Drawn</span>
            </th>
            <th class="right">Files</th>
            <th class="right">Rows in them</th>
            <th>Oldest</th>
            <th>Newest</th>
          </tr>
        </thead>
        <tbody>
          {items
            .toSorted((a, b) => b.bytes - a.bytes)
            .map((item) => (
              <tr key={item.entity}>
                <td class="main" dir="auto">
                  <EntityName name={item.entity} />
                </td>
                <td class="right">{bytesText(item.bytes)}</td>
                <td class="size-cell">
                  <span class="size-bar" style={{ width: `${(100 * item.bytes) / most}%` }} />
                </td>
                <td class="right">{countText(item.files)}</td>
                <td class="right">{item.rows === null ? '–' : countText(item.rows)}</td>
                <td class="tight">
                  <Time iso={item.first_date} />
                </td>
                <td class="tight">
                  <Time iso={item.last_date} />
                </td>
              </tr>
            ))}
        </tbody>
      </TableFrame>
    </div>
  )
}
