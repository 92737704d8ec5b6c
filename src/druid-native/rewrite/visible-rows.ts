import { druidType } from '../../algebra/druid-expression.ts'
import { type VisibleColumn, visibleColumn, visibleFilter } from '../../algebra/hidden-in-druid.ts'
import { takingMetrics, takingRows } from '../../algebra/hidden-rows.ts'
import { dataSourceName, nullsColumn, positionColumn } from '../../model/druid-row.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import { isEmpty, isNode, listOf, memberOf, type Node } from '../parse/json-reader.ts'

/** A text value is kept to this length: Druid sets so much memory aside for each. */
const textBytesMax = 4096

/**
 * An entity whose newer rows replace older ones, as a data source of Druid: of each field the newest value that was pushed. `intervals`: those of the query
 * that reads it, as it has them; undefined: all time.
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
      // Else a groupBy around it reads pairs of position and value.
      context: { finalize: true, ...oneByOne },
    },
  }
}

/** The rows of an entity as its deletions leave them, each by itself, as a data source of Druid; `intervals` as above. */
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

/** In batches Druid clears its tables anew for each millisecond between the first and the last row: six times as long for a day as row by row. */
const oneByOne = { vectorize: 'false' }

const allTime = ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z']

function visibleSource(entity: Entity, clusterName: string, intervals: unknown = allTime): object {
  const filter = visibleFilter(takingRows(entity.hidden ?? []))
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

/** By the name of each metric that reads as null in some rows, what it is there. */
function visibleMetrics(entity: Entity): ReadonlyMap<string, VisibleColumn> {
  const columns = new Map<string, VisibleColumn>()
  for (const [name, taking] of takingMetrics(entity.hidden ?? [])) {
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

/** `column` is where its values are. */
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
 * Whether a query cannot pass over what deletions hide by a filter: it may read a metric that reads as null in some rows, or calls a column of its own
 * as one that deletions select by.
 */
export function needsVisibleRows(query: Node, { hidden = [] }: Entity): boolean {
  const { dataSource: _, ...own } = query
  const metrics = [...takingMetrics(hidden).keys()]
  if (metrics.length > 0 && (isOpen(query) || metrics.some((metric) => isNamed(metric, own)))) return true
  const selecting = new Set(hidden.flatMap(({ selection: { tag, where } }) => [tag, where?.metric.name]))
  return listOf(query['virtualColumns']).some((column) => selecting.has(String(memberOf(column, 'name'))))
}

/** Whether it shows all columns. */
function isOpen(query: Node): boolean {
  const { queryType } = query
  if (queryType === 'scan') return isEmpty(query['columns'])
  return queryType === 'search' && isEmpty(query['searchDimensions'])
}

/** What is no expression, unless it is a name by itself. */
const isWord = /^\w*$/

/** Whether a text that may be an expression has the name in it, or letters of any name by their codes. */
function isNamed(name: string, value: unknown): boolean {
  if (typeof value === 'string')
    return value === name || (!isWord.test(value) && (value.includes(name) || value.includes('\\u')))
  if (Array.isArray(value)) return value.some((item) => isNamed(name, item))
  return isNode(value) && Object.entries(value).some(([key, item]) => key === name || isNamed(name, item))
}
