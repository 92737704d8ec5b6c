// A native query of ours over the rows that deletions leave: they are a filter more, and metrics that read as null in some rows are computed columns,
// which stand wherever the query names the metric.
import { visibleColumn, visibleFilter } from '../../algebra/hidden-in-druid.ts'
import { hidingIn, takingMetrics, takingRows } from '../../algebra/hidden-rows.ts'
import type { DeletionSelection, HiddenRows } from '../../model/deletion.ts'
import { allOf, type NativeFilter, rangeOfInterval } from './native-query.ts'

/** A query as it goes to Druid, without its data source. */
export type NativeBody = Readonly<Record<string, unknown>>

export function hideRows(body: NativeBody, hidden: readonly HiddenRows[]): NativeBody {
  const near = nearTo(body, hidden)
  if (near.length === 0) return body
  const rows = visibleFilter(takingRows(near))
  const { names, columns } = visibleMetrics(near)
  const { filter, virtualColumns, ...others } = renamed(body, names) as NativeBody
  const own = filter === undefined ? null : (filter as NativeFilter | null)
  return {
    ...others,
    filter: allOf([rows, own]),
    ...(columns.length === 0
      ? { virtualColumns }
      : { virtualColumns: [...columns, ...((virtualColumns ?? []) as [])] }),
  }
}

/** Those that rows of the query's dates and tags may be hidden by: each that goes along is tried for each row. */
function nearTo({ intervals, filter }: NativeBody, hidden: readonly HiddenRows[]): readonly HiddenRows[] {
  if (hidden.length === 0 || !Array.isArray(intervals)) return hidden
  const ranges = intervals.map((interval) => rangeOfInterval(String(interval)))
  const inDates = hidden.filter((one) => ranges.some(({ fromMs, toMs }) => hidingIn([one], fromMs, toMs).length > 0))
  const tags = new Set(inDates.map(({ selection }) => selection.tag))
  const values = new Map(Array.from(tags, (tag) => [tag, valuesPassed(filter, tag)]))
  return inDates.filter(({ selection }) => {
    const passed = values.get(selection.tag)!
    return passed === null || selects(selection, passed)
  })
}

type Values = ReadonlySet<string | null>

/** The values of a tag that a filter of ours lets pass, or some more; null where it may be any. */
function valuesPassed(filter: unknown, tag: string): Values | null {
  if (typeof filter !== 'object' || filter === null) return null
  const { type, dimension, values, fields } = filter as NativeFilter
  if (type === 'in' && dimension === tag) return new Set(values as (string | null)[])
  if (!Array.isArray(fields)) return null
  const parts = fields.map((field) => valuesPassed(field, tag))
  if (type === 'and') return parts.find((part) => part !== null) ?? null
  if (type !== 'or' || parts.includes(null)) return null
  return new Set(parts.flatMap((part) => [...part!]))
}

/** So many comparisons of texts a deletion is worth: with more, it goes along. */
const comparisonsMax = 1000

/** Whether a deletion's tags are, or may be, among these. */
function selects({ ids, prefixes }: DeletionSelection, values: Values): boolean {
  if (ids !== null && !ids.some((id) => values.has(id))) return false
  if (prefixes === null || prefixes.length * values.size > comparisonsMax) return true
  return [...values].some((value) => value !== null && prefixes.some((prefix) => value.startsWith(prefix)))
}

function visibleMetrics(hidden: readonly HiddenRows[]) {
  const names = new Map<string, string>()
  const columns = [...takingMetrics(hidden)].map(([metric, taking]) => {
    const { type } = taking[0]!.selection.metrics!.find((one) => one.name === metric)!
    const column = visibleColumn(metric, type, taking)
    names.set(metric, column.name)
    return column
  })
  return { names, columns }
}

/** Members that name columns in our queries. Where a column is shown, it has a name of its own or a place. */
const naming: ReadonlySet<string> = new Set(['dimension', 'column', 'columns', 'fieldName'])
/** A column in an expression, whose name holds no quote; texts are passed over. One without its end goes to the end of the expression. */
const columnOrText = /'[^'\\]*(?:\\.[^'\\]*)*(?:'|$)|"([^"]*)"/g

function renamed(value: unknown, names: ReadonlyMap<string, string>, member = ''): unknown {
  if (names.size === 0) return value
  if (typeof value === 'string') {
    if (naming.has(member)) return names.get(value) ?? value
    if (member !== 'expression') return value
    return value.replace(columnOrText, (whole, name: string | undefined) => {
      const other = name === undefined ? undefined : names.get(name)
      return other === undefined ? whole : `"${other}"`
    })
  }
  if (Array.isArray(value)) return value.map((item) => renamed(item, names, member))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, renamed(item, names, name)]))
}
