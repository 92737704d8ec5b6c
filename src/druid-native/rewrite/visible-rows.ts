import { druidType } from '../../algebra/druid-expression.ts'
import { type VisibleColumn, visibleColumn, visibleFilter } from '../../algebra/hidden-in-druid.ts'
import { metricDeletions, rowDeletions } from '../../algebra/hidden-rows.ts'
import { dataSourceName, nullsColumn, positionColumn } from '../../model/druid-row.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { isEmpty, isNode, listOf, memberOf, type Node } from '../parse/json-reader.ts'

/** Texts are truncated to this length: Druid reserves this much memory for each. */
const textBytesMax = 4096

/**
 * A Druid data source for an entity whose newer rows replace older ones: the newest pushed value of each field. `intervals` are those of the query that
 * reads it, in their original form; undefined means all time.
 */
export function replacedRows(entity: Entity, clusterName: string, intervals: unknown): object {
  const tags = entity.fields.filter(({ role }) => role === 'tag')
  const others = entity.fields.filter(({ role }) => role !== 'tag' && role !== 'time')
  const visible = visibleMetrics(entity)
  return {
    type: 'query',
    query: {
      ...visibleSource(entity, clusterName, intervals),
      dimensions: tags.map(({ name }) => ({ type: 'default', dimension: name, outputName: name })),
      aggregations: others.map((field) => newest(field, visible.get(field.name)?.name ?? field.name)),
      // Otherwise an outer groupBy would read pairs of position and value.
      context: { finalize: true, ...oneByOne },
    },
  }
}

/** A Druid data source for the individual rows of an entity without deleted ones; `intervals` as for `replacedRows`. */
export function visibleRows(entity: Entity, clusterName: string, intervals: unknown): object {
  const fields = entity.fields.filter(({ role }) => role !== 'time')
  const visible = visibleMetrics(entity)
  const position = { type: 'default', dimension: positionColumn, outputName: positionColumn, outputType: 'LONG' }
  const shown = fields.map(({ name, type }) => ({
    ...{ type: 'default', dimension: visible.get(name)?.name ?? name, outputName: name },
    outputType: type === 'json' ? 'STRING' : druidType(type),
  }))
  return {
    type: 'query',
    query: {
      ...visibleSource(entity, clusterName, intervals),
      dimensions: [position, ...shown],
      aggregations: [],
      context: oneByOne,
    },
  }
}

/** Row-by-row execution. With vectorization Druid clears its tables for each millisecond between first and last row, six times as slow for a day. */
const oneByOne = { vectorize: 'false' }

const allTime = ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z']

function visibleSource(entity: Entity, clusterName: string, intervals: unknown = allTime): object {
  const filter = visibleFilter(rowDeletions(entity.hidden ?? []))
  const virtualColumns = [...visibleMetrics(entity).values()]
  return {
    queryType: 'groupBy',
    dataSource: { type: 'table', name: dataSourceName(clusterName, entity.id) },
    intervals,
    granularity: 'none',
    ...(filter === null ? {} : { filter }),
    ...(virtualColumns.length === 0 ? {} : { virtualColumns }),
  }
}

/** For each metric that is null in some rows because of deletions: the virtual column with its visible values. */
function visibleMetrics(entity: Entity): ReadonlyMap<string, VisibleColumn> {
  const columns = new Map<string, VisibleColumn>()
  for (const [name, taking] of metricDeletions(entity.hidden ?? [])) {
    const field = entity.fields.find((one) => one.name === name)
    if (field === undefined || field.type === 'json') continue
    columns.set(name, visibleColumn(name, field.type, taking))
  }
  return columns
}

const aggregators = {
  string: 'stringLast',
  double: 'doubleLast',
  long: 'longLast',
  boolean: 'longLast',
  timestamp: 'longLast',
  json: 'stringLast',
}

/** `column` contains the field's values. */
function newest({ name, type }: EntityField, column: string): object {
  const isPushed = { type: 'not', field: { type: 'null', column } }
  const isPushedNull = { type: 'like', dimension: nullsColumn, pattern: `%,${escaped(name)},%`, escape: '\\' }
  const isOnly = { type: 'equals', column: nullsColumn, matchValueType: 'STRING', matchValue: name }
  const isFirst = { ...isPushedNull, pattern: `${escaped(name)},%` }
  const isLast = { ...isPushedNull, pattern: `%,${escaped(name)}` }
  const size = type === 'string' ? { maxStringBytes: textBytesMax } : {}
  return {
    type: 'filtered',
    name,
    filter: { type: 'or', fields: [isPushed, isOnly, isFirst, isLast, isPushedNull] },
    aggregator: { type: aggregators[type], name, fieldName: column, timeColumn: positionColumn, ...size },
  }
}

function escaped(name: string): string {
  return name.replaceAll('_', '\\_')
}

/**
 * Whether a filter is not enough to exclude deleted data: the query may read a metric that is null in some rows, or it defines a virtual column with
 * the name of a column that deletions select by.
 */
export function needsVisibleRows(query: Node, { hidden = [] }: Entity): boolean {
  const { dataSource: _, ...own } = query
  const metrics = [...metricDeletions(hidden).keys()]
  if (metrics.length > 0 && (isOpen(query) || metrics.some((metric) => isNamed(metric, own)))) return true
  const selecting = new Set(hidden.flatMap(({ selection: { tag, where } }) => [tag, where?.metric.name]))
  return listOf(query['virtualColumns']).some((column) => selecting.has(String(memberOf(column, 'name'))))
}

/** Whether the query returns all columns. */
function isOpen(query: Node): boolean {
  const { queryType } = query
  if (queryType === 'scan') return isEmpty(query['columns'])
  return queryType === 'search' && isEmpty(query['searchDimensions'])
}

/** A text that is not an expression, except a single name. */
const isWord = /^\w*$/

/** Whether a text that may be an expression contains the name, or a `\u` escape that could spell any name. */
function isNamed(name: string, value: unknown): boolean {
  if (typeof value === 'string')
    return value === name || (!isWord.test(value) && (value.includes(name) || value.includes('\\u')))
  if (Array.isArray(value)) return value.some((item) => isNamed(name, item))
  return isNode(value) && Object.entries(value).some(([key, item]) => key === name || isNamed(name, item))
}
