import { useState } from 'preact/hooks'
import type { EntityDescription, MetadataDescription } from '../../../../src/client/answers.ts'
import { plural } from '../../parts/formats.ts'

interface Props {
  readonly entities: readonly EntityDescription[]
  readonly metadata: readonly MetadataDescription[]
  /** Inserts text at the cursor. */
  onInsert(text: string): void
}

interface Table {
  readonly name: string
  readonly size: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

export const quoted = (name: string): string => (/^[a-z_]\w*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** All tables with their columns and types. A click on a name inserts it into the query. */
export function TableTree({ entities, metadata, onInsert }: Props) {
  const [open, show] = useState(false)
  if (entities.length + metadata.length === 0) return null
  return (
    <details class="table-tree" onToggle={(event) => show(event.currentTarget.open)}>
      <summary>Tables and columns</summary>
      {open && (
        <ul>
          {tablesOf(entities, metadata).map((table) => (
            <li key={table.name}>
              <details>
                <summary>
                  <bdi class="mono">{table.name}</bdi> <span class="soft small number">{table.size}</span>
                </summary>
                <ul>
                  <li>
                    <Name name={table.name} onInsert={onInsert} /> <span class="soft small">the table</span>
                  </li>
                  {table.columns.map(({ name, type }) => (
                    <li key={name}>
                      <Name name={name} onInsert={onInsert} /> <span class="soft small">{type}</span>
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

function tablesOf(entities: Props['entities'], metadata: Props['metadata']): Table[] {
  return [
    ...entities.map(({ entity, rows, time_field, fields }) => ({
      name: entity,
      size: plural(rows, 'row'),
      columns: [
        { name: '__time', type: 'timestamp' },
        ...fields.filter(({ name }) => name !== time_field).map(({ name, type }) => ({ name, type })),
      ],
    })),
    ...metadata.map(({ entity, items, fields }) => ({
      name: entity,
      size: plural(items, 'item'),
      columns: fields.map(({ name, type }) => ({ name, type })),
    })),
  ]
}

function Name({ name, onInsert }: { readonly name: string; onInsert(text: string): void }) {
  return (
    <button type="button" class="as-link mono" title="Write it into the query" onClick={() => onInsert(quoted(name))}>
      <bdi>{name}</bdi>
    </button>
  )
}
