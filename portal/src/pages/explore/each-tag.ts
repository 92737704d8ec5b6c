import type { RowTable } from '../../parts/rows-stream.ts'
import { keyOf, nameOfTags } from './lines.ts'
import type { Shown } from './use-rows.ts'

/** Splits results by combination of tags, ordered by name. */
export function eachTag(shown: Shown, tags: readonly string[]): { readonly key: string; readonly shown: Shown }[] {
  const [table, ...edges] = [shown.table, ...shown.edges].map((one) => byKey(one, tags))
  const keys = [...new Set([table!, ...edges].flatMap((one) => [...one.keys()]))]
  const named = keys.map((key) => ({ key, name: nameOfTags(JSON.parse(key)) }))
  return named
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ key }) => {
      const of = (tables: ReadonlyMap<string, RowTable>, { columns }: RowTable): RowTable =>
        tables.get(key) ?? { columns, rows: [] }
      const own = { table: of(table!, shown.table), edges: edges.map((one, place) => of(one, shown.edges[place]!)) }
      return { key, shown: { ...shown, ...own } }
    })
}

function byKey({ columns, rows }: RowTable, tags: readonly string[]): ReadonlyMap<string, RowTable> {
  const tagsAt = tags.map((tag) => columns.indexOf(tag))
  const found = new Map<string, RowTable & { readonly rows: RowTable['rows'][number][] }>()
  for (const row of rows) {
    const key = keyOf(row, tagsAt)
    const known = found.get(key)
    if (known === undefined) found.set(key, { columns, rows: [row] })
    else known.rows.push(row)
  }
  return found
}
