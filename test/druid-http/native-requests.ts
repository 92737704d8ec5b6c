// Native queries of each type with their options, and refused ones.
import { differences as d } from './differences.ts'
import { type Asked, canceled, native, posted } from './request.ts'

const count = { type: 'count', name: 'rows' }
const sum = { type: 'doubleSum', name: 'sum', fieldName: 'V' }
const aggregations = [count, sum, { type: 'longMax', name: 'most', fieldName: 'n' }]
const mean = {
  type: 'arithmetic',
  name: 'mean',
  fn: '/',
  fields: [
    { type: 'fieldAccess', fieldName: 'sum' },
    { type: 'fieldAccess', fieldName: 'rows' },
  ],
}
const isA = { type: 'selector', dimension: 'T', value: 'a' }
const timeseries = { queryType: 'timeseries', granularity: 'day', aggregations }
const topN = { queryType: 'topN', granularity: 'all', dimension: 'T', metric: 'sum', threshold: 2, aggregations }
const groupBy = { queryType: 'groupBy', granularity: 'all', dimensions: ['T'], aggregations }
const scan = { queryType: 'scan', columns: ['__time', 'T', 'unit', 'n', 'V'] }
const search = { queryType: 'search', query: { type: 'insensitive_contains', value: 'BAR' } }
const bounds = { queryType: 'timeBoundary' }
const analysis = { queryType: 'segmentMetadata', merge: true }

/** Cross-joins the rows eleven times. */
const endless = {
  ...{ queryType: 'timeseries', granularity: 'all', aggregations: [count] },
  dataSource: Array.from({ length: 11 }).reduce<unknown>(
    (left, _, place) => ({
      type: 'join',
      left,
      right: {
        type: 'query',
        query: { queryType: 'scan', dataSource: 'plant', intervals: ['2026-01-01/2026-01-04'], columns: ['T'] },
      },
      rightPrefix: `j${place}.`,
      condition: '1',
      joinType: 'INNER',
    }),
    'plant',
  ),
}

const types: readonly Asked[] = [
  native(timeseries, d.memberOrder),
  native({ ...timeseries, granularity: 'all' }, d.memberOrder),
  native({ ...timeseries, granularity: { type: 'period', period: 'P1D', timeZone: 'Europe/Madrid' } }, d.memberOrder),
  native({ ...timeseries, granularity: 'six_hour', aggregations: [count] }),
  native({ ...timeseries, granularity: 'six_hour', aggregations: [count, sum], context: { skipEmptyBuckets: true } }),
  native({ ...timeseries, descending: true, filter: isA }, d.memberOrder),
  native({ ...timeseries, context: { grandTotal: true } }, d.memberOrder),
  native({ ...timeseries, limit: 1, postAggregations: [mean] }, d.memberOrder),
  native({ ...timeseries, intervals: ['2020-01-01/2020-01-02'], granularity: 'all' }, d.memberOrder),
  native({ ...timeseries, context: { timestampResultField: 'at' } }, d.context),
  native({
    ...timeseries,
    virtualColumns: [{ type: 'expression', name: 'v', expression: 'V * 2', outputType: 'DOUBLE' }],
    aggregations: [{ ...sum, fieldName: 'v' }],
  }),
  native(topN),
  native({ ...topN, granularity: 'day' }, d.memberOrder),
  native({ ...topN, metric: { type: 'inverted', metric: 'sum' } }),
  native({ ...topN, metric: { type: 'dimension', ordering: 'lexicographic' }, threshold: 5 }),
  native({ ...topN, dimension: { type: 'default', dimension: 'unit', outputName: 'u' }, metric: 'rows', threshold: 1 }),
  native({ ...topN, intervals: ['2020-01-01/2020-01-02'] }),
  native(groupBy, d.memberOrder),
  native({ ...groupBy, granularity: 'day', dimensions: ['T', 'n'] }, d.memberOrder),
  native({ ...groupBy, having: { type: 'greaterThan', aggregation: 'sum', value: 1 } }, d.memberOrder),
  native(
    { ...groupBy, limitSpec: { type: 'default', limit: 2, columns: [{ dimension: 'sum', direction: 'descending' }] } },
    d.memberOrder,
  ),
  native({ ...groupBy, dimensions: ['T', 'unit'], subtotalsSpec: [['T'], []], aggregations: [count] }, d.memberOrder),
  native({ ...groupBy, context: { resultAsArray: true } }),
  native({
    ...groupBy,
    dimensions: [{ type: 'default', dimension: 'n', outputName: 'number', outputType: 'STRING' }],
    aggregations: [count],
  }),
  native({ ...groupBy, dimensions: [], intervals: ['2020-01-01/2020-01-02'] }, d.memberOrder),
  native(scan, d.segments, d.escapesOfScans),
  native({ ...scan, resultFormat: 'compactedList', order: 'ascending' }, d.blocks),
  native({ ...scan, order: 'ascending' }, d.blocks),
  native({ ...scan, order: 'descending', limit: 3, offset: 1 }),
  native({ ...scan, order: 'ascending', filter: isA, columns: ['__time', 'V', 'nothing'] }, d.blocks),
  native({ ...scan, columns: [], limit: 1 }, d.segments),
  native({ ...scan, intervals: ['2020-01-01/2020-01-02'] }),
  native({ ...scan, resultFormat: 'valueVector' }, d.faults),
  native({ ...scan, order: 'ascending', batchSize: 2 }, d.blocks),
  native(search),
  native({ ...search, granularity: 'day', searchDimensions: ['unit', 'T'] }),
  native({
    ...search,
    query: { type: 'contains', value: 'b', case_sensitive: true },
    sort: { type: 'strlen' },
    limit: 2,
  }),
  native(bounds, d.memberOrder),
  native({ ...bounds, bound: 'maxTime' }),
  native({ ...bounds, bound: 'minTime', filter: isA }),
  native({ ...bounds, filter: { ...isA, value: 'nobody' } }),
  native(analysis, d.escapes, d.fresh),
  native({ ...analysis, analysisTypes: ['cardinality', 'minmax', 'interval'] }, d.escapes, d.fresh),
  native({ ...analysis, analysisTypes: [], toInclude: { type: 'list', columns: ['T', 'V'] } }, d.fresh),
  native({ ...analysis, merge: false, analysisTypes: ['interval'] }, d.segments),
  native({ ...analysis, analysisTypes: ['aggregators', 'queryGranularity', 'rollup', 'timestampSpec'] }, d.analysis),
  native({ ...analysis, analysisTypes: ['size'] }, d.analysis),
  native({ queryType: 'dataSourceMetadata' }),
  native({
    ...groupBy,
    dataSource: { type: 'query', query: { ...groupBy, dataSource: 'plant', intervals: ['2026-01-01/2026-01-04'] } },
    dimensions: [],
    aggregations: [{ type: 'count', name: 'groups' }],
  }),
  native({
    ...timeseries,
    granularity: 'all',
    dataSource: { type: 'union', dataSources: ['plant', 'plant'] },
    aggregations: [count],
  }),
  native(
    {
      ...scan,
      dataSource: {
        type: 'inline',
        columnNames: ['__time', 'x'],
        columnTypes: ['LONG', 'STRING'],
        rows: [[1767225600000, 'a']],
      },
      columns: ['__time', 'x'],
    },
    d.segments,
  ),
]

const contexts: readonly Asked[] = [
  native({ ...timeseries, context: { queryId: 'n-1' } }, d.memberOrder),
  native({ ...timeseries, context: { queryId: 17 } }, d.faults),
  native({ ...timeseries, context: { timeout: 60000, priority: 5, useCache: false, bySegment: false } }, d.memberOrder),
  native({ ...timeseries, context: { timeout: -1 } }, d.errorBody),
  native({ ...timeseries, context: { timeout: 'soon' } }, d.errorBody),
  native({ ...timeseries, context: null }, d.memberOrder),
  native({ ...endless, context: { timeout: 500, queryId: 'n-2' } }, d.statuses),
  canceled(native({ ...endless, context: { queryId: 'n-3', timeout: 30_000 } }, d.statuses), '/druid/v2/n-3'),
]

const one = JSON.stringify({ queryType: 'timeBoundary', dataSource: 'plant' })

const json = { 'content-type': 'application/json' }

const refused: readonly Asked[] = [
  native({ ...timeseries, dataSource: 'nothing' }, d.unknownSource),
  native({ ...groupBy, dataSource: 'nothing' }, d.unknownSource),
  native({ ...scan, dataSource: 'nothing' }, d.unknownSource),
  native({ ...bounds, dataSource: 'nothing' }, d.unknownSource),
  native({ ...analysis, dataSource: 'nothing' }, d.unknownSource),
  native({ queryType: 'nothing' }, d.faults),
  native({ queryType: null }, d.faults),
  native({ ...timeseries, granularity: 'fortnight' }, d.faults),
  native({ ...timeseries, intervals: ['yesterday'] }, d.faults),
  native({ ...timeseries, intervals: ['2026-01-02/2026-01-01'] }, d.faults),
  native({ ...timeseries, aggregations: [{ type: 'nothing', name: 'x' }] }, d.faults),
  native({ ...timeseries, aggregations: [count, count] }, d.faults),
  native({ ...timeseries, filter: { type: 'nothing' } }, d.faults),
  native({ ...timeseries, other: 1 }, d.memberOrder),
  native({ ...topN, threshold: 0 }, d.faults),
  native({ ...topN, metric: 'nothing' }, d.faults),
  native({ ...scan, resultFormat: 'nothing' }, d.faults),
  native({ ...scan, limit: -1 }, d.faults),
  native({ ...scan, order: 'ascending', columns: ['V'] }, d.faults),
  posted('/druid/v2', '{"queryType":"timeBoundary"}', json, d.faults),
  posted('/druid/v2', '{"queryType":"timeBoundary"', json, d.errorBody),
  posted('/druid/v2', '', json, d.faults),
  posted('/druid/v2', '[]', json, d.faults),
  posted('/druid/v2', one, { 'content-type': 'text/plain' }, d.errorBody),
  posted('/druid/v2', one, { 'content-type': 'application/json; charset=utf-8' }, d.memberOrder),
  posted('/druid/v2/', one, json, d.memberOrder),
  posted('/druid/v2/?pretty', JSON.stringify({ ...bounds, bound: 'maxTime', dataSource: 'plant' }), json, d.pretty),
]

export const nativeRequests: readonly Asked[] = [...types, ...contexts, ...refused]
