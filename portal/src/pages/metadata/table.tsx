import { useState } from 'preact/hooks'
import type { MetadataDescription, MetadataItem } from '../../../../src/client/answers.ts'
import type { TidemarkClient } from '../../../../src/client/client.ts'
import { parseWithLongs } from '../../../../src/lib/json-with-longs.ts'
import { cellText } from '../../parts/big-table.tsx'
import { plural } from '../../parts/formats.ts'
import { SelectField, TextField } from '../../parts/inputs.tsx'
import { Empty, Panel, Waiting } from '../../parts/layout.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { clientOf, mayDo } from '../../session/session.ts'
import { useAction, useQuery } from '../../shell/asking.ts'
import { linkTo } from '../../shell/link.ts'
import { replaceWith, usePlace } from '../../shell/route.ts'
import { conditionsOf, type Operator, operators } from './conditions.ts'
import { ItemDialog } from './item.tsx'

interface Props {
  readonly table: MetadataDescription
  onChanged(): void
}

const pageItems = 100

interface ItemPage {
  readonly items: readonly MetadataItem[]
  readonly token: string | null
}

type Conditions = readonly (readonly [string, string])[]

/** Integers keep all their digits. */
async function itemsOf(
  client: TidemarkClient,
  table: string,
  conditions: Conditions,
  token?: string,
): Promise<ItemPage> {
  const text = await client.itemsText(table, conditions, { limit: pageItems, ...(token && { token }) })
  const page = parseWithLongs(text) as { Items: readonly MetadataItem[]; NextToken: string | null }
  return { items: page.Items, token: page.NextToken }
}

export function MetadataTable({ table, onChanged }: Props) {
  const { query } = usePlace()
  const operator = operators.find(({ value }) => value === query.get('op'))?.value ?? 'bw'
  const [low, high] = [query.get('low') ?? '', query.get('high') ?? '']
  const search = (part: { op?: Operator; low?: string; high?: string }): void =>
    replaceWith(linkTo(['metadata', table.entity], { op: operator, low, high, ...part }))
  const numeric = table.fields.find(({ name }) => name === table.index_field)?.type !== 'string'
  const shown = operator === 'bw' && numeric ? 'gte' : operator
  const conditions = conditionsOf(table.index_field, shown, low, high)
  const [open, show] = useState<MetadataItem | 'new' | null>(null)
  const [changes, count] = useState(0)
  const changed = (): void => {
    count((before) => before + 1)
    onChanged()
  }
  return (
    <Panel
      title={plural(table.items, 'item')}
      tools={
        mayDo('ingest') && (
          <button type="button" class="button slim" onClick={() => show('new')}>
            New item…
          </button>
        )
      }
    >
      <div class="inside grid-form">
        <SelectField
          label={`${table.index_field}…`}
          value={shown}
          choices={operators.filter(({ value }) => !(numeric && value === 'bw'))}
          onValue={(op) => search({ op })}
        />
        <TextField
          label={shown === 'be' ? 'From' : 'Value'}
          value={low}
          onValue={(text) => search({ low: text })}
          mono
          type="search"
        />
        {shown === 'be' && <TextField label="To" value={high} onValue={(text) => search({ high: text })} mono />}
      </div>
      <ItemList
        key={JSON.stringify([conditions, changes])}
        table={table}
        conditions={shown === 'be' && (low === '' || high === '') ? [] : conditions}
        onOpen={show}
      />
      {open !== null && (
        <ItemDialog table={table} item={open === 'new' ? null : open} onClose={() => show(null)} onChanged={changed} />
      )}
    </Panel>
  )
}

interface ListProps {
  readonly table: MetadataDescription
  readonly conditions: Conditions
  onOpen(item: MetadataItem): void
}

function ItemList({ table, conditions, onOpen }: ListProps) {
  const first = useQuery((client) => itemsOf(client, table.entity, conditions), [table.entity, conditions])
  const [more, setMore] = useState<ItemPage | null>(null)
  const loading = useAction()
  if (first.value === null) return first.error === null ? <Waiting /> : <ProblemNote error={first.error} />
  const items = [...first.value.items, ...(more?.items ?? [])]
  const token = more === null ? first.value.token : more.token
  if (items.length === 0) {
    return (
      <Empty title={conditions.length === 0 ? 'No item yet' : 'No item like that'}>
        <p>{conditions.length === 0 ? `Push one to the ingest ${table.entity}.` : 'Change the conditions above.'}</p>
      </Empty>
    )
  }
  const load = (): Promise<boolean> =>
    loading.run(async (signal) => {
      const page = await itemsOf(clientOf(signal), table.entity, conditions, token ?? undefined)
      setMore({ items: [...(more?.items ?? []), ...page.items], token: page.token })
    })
  return (
    <>
      <ItemTable table={table} items={items} onOpen={onOpen} />
      <div class="inside actions">
        <span class="soft small">{plural(items.length, 'item')} shown</span>
        {token !== null && (
          <button type="button" class="button slim" disabled={loading.busy} onClick={() => void load()}>
            Show more
          </button>
        )}
      </div>
      <ProblemNote error={loading.error} />
    </>
  )
}

interface TableProps {
  readonly table: MetadataDescription
  readonly items: readonly MetadataItem[]
  onOpen(item: MetadataItem): void
}

function ItemTable({ table, items, onOpen }: TableProps) {
  return (
    <TableFrame name="Items">
      <thead>
        <tr>
          {table.fields.map(({ name }) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={String(item[table.index_field])}>
            {table.fields.map(({ name }) => (
              <td key={name} dir="auto" class={name === table.index_field ? 'main' : undefined}>
                {name === table.index_field ? (
                  <button type="button" class="as-link" onClick={() => onOpen(item)}>
                    {cellText(item[name])}
                  </button>
                ) : (
                  cellText(item[name])
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  )
}
