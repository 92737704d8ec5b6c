import type { MetadataDescription } from '../../../../src/client/answers.ts'
import { countText } from '../../parts/formats.ts'
import { Empty, PageHead, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { mayDo } from '../../session/session.ts'
import { type QueryState, useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { usePlace } from '../../shell/route.ts'
import { MetadataTable } from './table.tsx'

/** Metadata: tables of items, each with an identifier. */
export function Metadata() {
  const name = usePlace().path[1]
  const tables = useQuery((client) => client.metadata(), ['metadata'])
  return name === undefined ? <Tables tables={tables} /> : <OneTable name={name} tables={tables} />
}

type AskedTables = QueryState<readonly MetadataDescription[]>

function OneTable({ name, tables }: { readonly name: string; readonly tables: AskedTables }) {
  const described = tables.value?.find(({ entity }) => entity === name)
  return (
    <>
      <PageHead title={<bdi>{name}</bdi>} above={{ name: 'Metadata', at: ['metadata'] }} />
      <ProblemNote error={tables.error} />
      {tables.value !== null && described === undefined && (
        <Empty title="The table does not exist, or this key may not read it">
          <p>
            <a href={linkTo(['metadata'])}>See all tables</a>.
          </p>
        </Empty>
      )}
      {described !== undefined && <MetadataTable key={name} table={described} onChanged={tables.again} />}
    </>
  )
}

function Tables({ tables: { value, error } }: { readonly tables: AskedTables }) {
  return (
    <>
      <PageHead title="Metadata" />
      <ProblemNote error={error} />
      <Panel title="Tables">
        {value === null && error === null && <Waiting />}
        {value?.length === 0 && (
          <Empty title="No table yet">
            <p>
              A metadata ingest creates a table of items: for example, one for each tag with its unit and place. The
              newest push of an identifier replaces the others.
            </p>
            {mayDo('admin') && (
              <a class="button first" href={linkTo(['ingests'])}>
                Make a metadata ingest
              </a>
            )}
          </Empty>
        )}
        {value !== null && value.length > 0 && <TableList tables={value} />}
      </Panel>
    </>
  )
}

function TableList({ tables }: { readonly tables: readonly MetadataDescription[] }) {
  return (
    <TableFrame name="Tables">
      <thead>
        <tr>
          <th>Table</th>
          <th class="right">Items</th>
          <th>Identifier</th>
          <th>Attributes</th>
        </tr>
      </thead>
      <tbody>
        {tables.map(({ entity, items, index_field, fields }) => (
          <tr key={entity}>
            <td class="main">
              <a href={linkTo(['metadata', entity])}>{entity}</a>
            </td>
            <td class="right">{countText(items)}</td>
            <td class="mono">{index_field}</td>
            <td class="mono">
              {fields
                .filter(({ name }) => name !== index_field)
                .map(({ name }) => name)
                .join(', ')}
            </td>
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}
