// Restricts one of our native queries to the rows that deletions leave visible. Deletions of rows become a filter; a metric that reads as null in some
// rows becomes a virtual column, which replaces the metric wherever the query names it.
import { type VisibleColumn, visibleColumn, visibleFilter } from '../../algebra/hidden-in-druid.ts'
import { hidingIn, metricDeletions, rowDeletions } from '../../algebra/hidden-rows.ts'
import type { DeletionSelection, HiddenRows } from '../../model/deletion.ts'
import { allOf, anyOf, type NativeFilter, not, rangeOfInterval } from './native-query.ts'

/** A query as sent to Druid, without its data source. */
export type NativeBody = Readonly<Record<string, unknown>>

export function hideRows(body: NativeBody, hidden: readonly HiddenRows[]): NativeBody {
  const near = nearTo(body, hidden)
  if (near.length === 0) return body
  const taking = new Map(metricDeletions(near))
  // If the query requires a value of the metric, hiding the value hides the row.
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
    filter: allOf([visibleFilter([...rowDeletions(near), ...required]), own]),
    ...(columns.length === 0
      ? { virtualColumns }
      : { virtualColumns: [...columns, ...((virtualColumns ?? []) as [])] }),
  }
}

/** The columns in which a row needs a value to pass the filter. */
function requiredIn(filter: unknown): readonly string[] {
  if (typeof filter !== 'object' || filter === null) return []
  const { type, field, fields } = filter as NativeFilter
  if (type === 'and') return (fields as readonly unknown[]).flatMap(requiredIn)
  if (type !== 'not') return []
  const { type: negated, column } = field as NativeFilter
  return negated === 'null' ? [String(column)] : []
}

/** The deletions that may hide rows of the query's dates and tags. Each deletion in a query is tested on every row. */
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

/** A set that contains all values of a tag that one of our filters passes; null where it may be any value. */
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

/** The most string comparisons spent to exclude a deletion. A deletion that needs more is included. */
const comparisonsMax = 1000

/** Whether a deletion selects, or may select, one of these tag values. */
function selects({ ids, prefixes }: DeletionSelection, values: Values): boolean {
  if (ids !== null && !ids.some((id) => values.has(id))) return false
  if (prefixes === null || prefixes.length * values.size > comparisonsMax) return true
  return [...values].some((value) => value !== null && prefixes.some((prefix) => value.startsWith(prefix)))
}

/** Members that name columns in our queries. The output is not affected: it has names of its own or goes by position. */
const naming: ReadonlySet<string> = new Set(['dimension', 'column', 'columns'])
/** A column or a string in an expression; strings are skipped. Column names contain no quotes. An unterminated string extends to the end. */
const columnOrText = /'[^'\\]*(?:\\.[^'\\]*)*(?:'|$)|"([^"]*)"/g

/**
 * Metrics that read as null in some rows. Where a query tests for a value or aggregates values, a filter excludes those rows; elsewhere a virtual column
 * replaces the metric. Druid takes far longer to parse a long expression than a filter, even in a virtual column that nothing uses.
 */
class VisibleMetrics {
  readonly #taking: ReadonlyMap<string, readonly HiddenRows[]>
  readonly #columns = new Map<string, VisibleColumn>()

  constructor(taking: ReadonlyMap<string, readonly HiddenRows[]>) {
    this.#taking = taking
  }

  /** The virtual columns that replace metrics in the results of `visibleIn` so far. */
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

  /** A null test or an aggregation of a metric, rewritten with a filter; null for any other node. */
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
