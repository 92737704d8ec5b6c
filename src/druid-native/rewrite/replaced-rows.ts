import { dataSourceName, nullsColumn, positionColumn } from '../../model/druid-row.ts'
import type { Entity, EntityField } from '../../model/entity.ts'

/** A text value is kept to this length: Druid sets so much memory aside for each. */
const textBytesMax = 4096

/** An entity whose newer rows replace older ones, as a data source of Druid: of each field the newest value that was pushed. */
export function replacedRows(entity: Entity, clusterName: string): object {
  const tags = entity.fields.filter(({ role }) => role === 'tag')
  const others = entity.fields.filter(({ role }) => role !== 'tag' && role !== 'time')
  return {
    type: 'query',
    query: {
      queryType: 'groupBy',
      dataSource: { type: 'table', name: dataSourceName(clusterName, entity.id) },
      intervals: ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z'],
      granularity: 'none',
      dimensions: tags.map(({ name }) => ({ type: 'default', dimension: name, outputName: name })),
      aggregations: others.map(newest),
    },
  }
}

const aggregators = {
  string: 'stringLast',
  double: 'doubleLast',
  long: 'longLast',
  boolean: 'longLast',
  timestamp: 'longLast',
  json: 'stringLast',
}

function newest({ name, type }: EntityField): object {
  const isPushed = { type: 'not', field: { type: 'null', column: name } }
  const isPushedNull = { type: 'like', dimension: nullsColumn, pattern: `%,${escaped(name)},%`, escape: '\\' }
  const isOnly = { type: 'equals', column: nullsColumn, matchValueType: 'STRING', matchValue: name }
  const isFirst = { ...isPushedNull, pattern: `${escaped(name)},%` }
  const isLast = { ...isPushedNull, pattern: `%,${escaped(name)}` }
  const size = type === 'string' ? { maxStringBytes: textBytesMax } : {}
  return {
    type: 'filtered',
    name,
    filter: { type: 'or', fields: [isPushed, isOnly, isFirst, isLast, isPushedNull] },
    aggregator: { type: aggregators[type], name, fieldName: name, timeColumn: positionColumn, ...size },
  }
}

function escaped(name: string): string {
  return name.replaceAll('_', '\\_')
}
