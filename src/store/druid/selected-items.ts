import { type RawRows, scan } from './druid-query.ts'
import { type DruidRun, type ItemsQuery, itemColumns } from './druid-run.ts'
import { allOf, intervalsOf } from './native-query.ts'
import { replacedItems } from './replaced-items.ts'
import { selectionFilter } from './selection-filter.ts'

/** The items of a selection in some ranges, in no particular order, as rows with the columns that `itemColumns` names. */
export async function* items(query: ItemsQuery, run: DruidRun): AsyncGenerator<RawRows> {
  const { selection, ranges, filter, limit } = query
  const { columns, longs } = itemColumns(selection)
  const rows =
    run.replacedBy === null
      ? scan(
          run.target,
          {
            intervals: ranges.flatMap(({ fromMs, toMs }) => intervalsOf(fromMs, toMs)),
            filter: allOf([filter, selectionFilter(selection)]),
            columns,
            limit,
          },
          longs,
        )
      : replacedItems(query, run.replacedBy, run)
  for await (const part of rows) {
    yield part
    if (run.pacer.spend(part.length * columns.length)) await run.pacer.rest()
  }
}
