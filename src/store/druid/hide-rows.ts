// A native query of ours over the rows that deletions leave: they are a filter more, and metrics that read as null in some rows are computed columns,
// which stand wherever the query names the metric.
import { type VisibleColumn, visibleColumn, visibleFilter } from '../../algebra/hidden-in-druid.ts'
import { hidingIn, takingMetrics, takingRows } from '../../algebra/hidden-rows.ts'
import type { DeletionSelection, HiddenRows } from '../../model/deletion.ts'
import { allOf, anyOf, type NativeFilter, not, rangeOfInterval } from './native-query.ts'

/** A query as it goes to Druid, without its data source. */
export type NativeBody = Readonly<Record<string, unknown>>

export function hideRows(body: NativeBody, hidden: readonly HiddenRows[]): NativeBody {
  const near = nearTo(body, hidden)
  if (near.length === 0) return body
  const taking = new Map(takingMetrics(near))
  // A row that is not asked for without a value of the metric goes with the value.
  const required = requiredIn(body['filter']).flatMap((metric) => {
    const some = taking.get(metric) ?? []
    taking.delete(metric)
    return some
  })
  const metrics = new VisibleMetrics(taking)
  const { filter, virtualColumns, ...others } = metrics.visibleIn(body) as NativeBody
  const columns = metrics.named()
  const own = filter === undefined ? null : (filter as NativeFilter | null)
  return {
    ...others,
    filter: allOf([visibleFilter([...takingRows(near), ...required]), own]),
    ...(columns.length === 0
      ? { virtualColumns }
      : { virtualColumns: [...columns, ...((virtualColumns ?? []) as [])] }),
  }
}

/** The columns without a value of which no row passes. */
function requiredIn(filter: unknown): readonly string[] {
  if (typeof filter !== 'object' || filter === null) return []
  const { type, field, fields } = filter as NativeFilter
  if (type === 'and') return (fields as readonly unknown[]).flatMap(requiredIn)
  if (type !== 'not') return []
  const { type: negated, column } = field as NativeFilter
  return negated === 'null' ? [String(column)] : []
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

/** Members that name columns in our queries. Where a column is shown, it has a name of its own or a place. */
const naming: ReadonlySet<string> = new Set(['dimension', 'column', 'columns'])
/** A column in an expression, whose name holds no quote; texts are passed over. One without its end goes to the end of the expression. */
const columnOrText = /'[^'\\]*(?:\\.[^'\\]*)*(?:'|$)|"([^"]*)"/g

/**
 * Metrics that read as null in some rows. Where a query asks whether there is a value, or puts values together, a filter passes over those rows; elsewhere a
 * column of its own stands for the metric. Druid takes far longer to read a long expression than a filter, also of a column that nothing names.
 */
class VisibleMetrics {
  readonly #taking: ReadonlyMap<string, readonly HiddenRows[]>
  readonly #columns = new Map<string, VisibleColumn>()

  constructor(taking: ReadonlyMap<string, readonly HiddenRows[]>) {
    this.#taking = taking
  }

  /** The columns that stand for metrics in what was made visible. */
  named(): readonly VisibleColumn[] {
    return [...this.#columns.values()]
  }

  visibleIn(value: unknown, member = ''): unknown {
    if (this.#taking.size === 0) return value
    if (typeof value === 'string') {
      if (naming.has(member)) return this.#nameOf(value) ?? value
      if (member !== 'expression') return value
      return value.replace(columnOrText, (whole, name: string | undefined) => {
        const other = name === undefined ? null : this.#nameOf(name)
        return other === null ? whole : `"${other}"`
      })
    }
    if (Array.isArray(value)) return value.map((item) => this.visibleIn(item, member))
    if (typeof value !== 'object' || value === null) return value
    return this.#filtered(value as NativeFilter) ?? this.#visibleMembers(value)
  }

  #visibleMembers(value: object): object {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.visibleIn(item, name)]))
  }

  /** Whether a metric is null, or an aggregation of its values, by a filter; null where it is neither. */
  #filtered(node: NativeFilter): NativeFilter | null {
    const isNullFilter = node['type'] === 'null'
    const taking = this.#taking.get(String(node[isNullFilter ? 'column' : 'fieldName']))
    if (taking === undefined) return null
    const visible = visibleFilter(taking)!
    if (isNullFilter) return anyOf([node, not(visible)])
    return { type: 'filtered', filter: visible, aggregator: node }
  }

  #nameOf(metric: string): string | null {
    const taking = this.#taking.get(metric)
    if (taking === undefined) return null
    const { type } = taking[0]!.selection.metrics!.find((one) => one.name === metric)!
    const column = this.#columns.get(metric) ?? visibleColumn(metric, type, taking)
    this.#columns.set(metric, column)
    return column.name
  }
}
