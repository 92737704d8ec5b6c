// Parses the JSON of a native query to a tree and validates it; errors name their path.
import { eternity } from '../../druid-time/iso.ts'
import { Json, unsupported } from './json-reader.ts'
import type { Common, Context, NativeQuery, TopNMetric } from './native-query-types.ts'
import type { DimensionSpec, VirtualColumn } from './query-nodes.ts'
import { checkNames, readAggregator, readPostAggregator } from './read-aggregators.ts'
import {
  readExpression,
  readIntervals,
  readNativeGranularity,
  readSearchSpec,
  readTextOrdering,
  readValueType,
} from './read-common.ts'
import { readDataSource } from './read-data-source.ts'
import { readDimension } from './read-dimension.ts'
import { readFilterOrNull } from './read-filter.ts'
import { readHaving, readLimitSpec } from './read-having.ts'

const druidTypes = ['windowOperator', 'union', 'select']

/** Maximum nesting of subqueries, far beyond practical use. */
const depthMax = 20

/** Reads a native query. Throws `invalid_request` with the path of the fault, and `unsupported_native_query`. */
export function readNativeQuery(value: unknown, path = ''): NativeQuery {
  const json = new Json(value, path)
  checkSize(json)
  return readQuery(json, 0)
}

/** Maximum nesting of lists and objects; parsing recurses once per level. */
const nestingMax = 100
/** Maximum number of lists and objects, not counting rows of inline data sources. */
const partsMax = 3000
/** Maximum length of lists whose items become a column or a condition each. */
const namesMax = 1000

/** Members whose lists contain plain values, which are cheap. */
const lists: ReadonlySet<string> = new Set(['values', 'rows', 'map'])

/** Rejects a query with too many parts, because planning cost grows with them. Works level by level, because the caller controls the nesting depth. */
function checkSize(json: Json): void {
  let layer: readonly unknown[] = [json.value]
  let parts = 0
  for (let depth = 0; layer.length > 0; depth++) {
    if (depth > nestingMax) json.fail(`has more than ${nestingMax} nested lists and objects`)
    const next: unknown[] = []
    for (const part of layer) {
      if (typeof part !== 'object' || part === null) continue
      parts += 1
      if (Array.isArray(part)) {
        if (part.length > namesMax) json.fail(`has a list of ${part.length} parts: at most ${namesMax} are allowed`)
        for (const item of part) next.push(item)
      } else {
        for (const [name, member] of Object.entries(part)) if (!lists.has(name)) next.push(member)
      }
    }
    if (parts > partsMax) json.fail(`has more than ${partsMax} lists and objects`)
    layer = next
  }
}

function readQuery(json: Json, depth: number): NativeQuery {
  if (!json.isObject) json.fail('must be a query')
  if (depth > depthMax) json.fail('is nested too deeply')
  const type = json.at('queryType').text()
  switch (type) {
    case 'timeseries':
      return readTimeseries(json, depth)
    case 'topN':
      return readTopN(json, depth)
    case 'groupBy':
      return readGroupBy(json, depth)
    case 'scan':
      return readScan(json, depth)
    case 'search':
      return readSearch(json, depth)
    case 'timeBoundary': {
      const bound = json.at('bound').textOrNull() || null
      const common = readCommon(json, depth, true)
      return {
        ...common,
        kind: 'timeBoundary',
        bound: bound === null ? null : json.at('bound').oneOf(['minTime', 'maxTime'] as const),
      }
    }
    case 'segmentMetadata':
      return readSegmentMetadata(json, depth)
    case 'dataSourceMetadata':
      return { ...readCommon(json, depth, true), kind: 'dataSourceMetadata' }
    default:
      if (druidTypes.includes(type)) throw unsupported(json.at('queryType').path, `the query type "${type}"`)
      return json
        .at('queryType')
        .fail(
          `"${type}" is not a query type: use timeseries, topN, groupBy, scan, search, timeBoundary, segmentMetadata or dataSourceMetadata`,
        )
  }
}

function readCommon(json: Json, depth: number, eternal = false): Common {
  const columns = json.at('virtualColumns').itemsOrNone()
  const virtualColumns = columns.map(readVirtualColumn)
  checkNames(virtualColumns.map(({ name }, index) => ({ name, path: columns[index]!.path })))
  return {
    dataSource: readDataSource(json.at('dataSource'), (inner) => readQuery(inner, depth + 1)),
    // Empty intervals are dropped: they match nothing and set no timestamps.
    intervals:
      eternal && json.at('intervals').missing
        ? [eternity]
        : readIntervals(json.at('intervals')).filter(({ startMs, endMs }) => startMs < endMs),
    filter: readFilterOrNull(json.at('filter')),
    virtualColumns,
    context: readContext(json.at('context')),
  }
}

function readVirtualColumn(json: Json): VirtualColumn {
  if (json.type() !== 'expression')
    return json.refuseType('virtual column', [
      'nested-field',
      'mv-filtered',
      'mv-regex-filtered',
      'mv-prefix-filtered',
      'fallback',
      'list-filtered',
      'regex-filtered',
      'prefix-filtered',
    ])
  return {
    name: json.at('name').text(),
    expression: readExpression(json.at('expression')),
    outputType: readValueType(json.at('outputType'), 'FLOAT'),
    path: json.at('expression').path,
  }
}

function readContext(json: Json): Context {
  const at = (name: string): Json => (json.missing ? new Json(undefined, '') : json.at(name))
  // These do not affect the result but must be valid.
  at('timeout').countOrZero()
  at('queryId').textOrNull()
  return {
    skipEmptyBuckets: at('skipEmptyBuckets').flag(false),
    grandTotal: at('grandTotal').flag(false),
    sortByDimsFirst: at('sortByDimsFirst').flag(false),
    timesAsLong: at('serializeDateTimeAsLong').flag(false),
    resultAsArray: at('resultAsArray').flag(false),
  }
}

/** `dimensions` are the grouping dimensions, `items` their JSON. */
function readAggregating(json: Json, depth: number, dimensions: readonly DimensionSpec[], items: readonly Json[]) {
  const aggregations = json.at('aggregations').itemsOrNone().map(readAggregator)
  const postAggregations = json.at('postAggregations').itemsOrNone().map(readPostAggregator)
  const shown = dimensions.map(({ outputName: name }, index) => ({ name, path: items[index]!.path }))
  checkNames([...shown, ...aggregations, ...postAggregations])
  return {
    ...readCommon(json, depth),
    granularity: readNativeGranularity(json.at('granularity')),
    aggregations,
    postAggregations,
  }
}

function readTimeseries(json: Json, depth: number): NativeQuery {
  return {
    ...readAggregating(json, depth, [], []),
    kind: 'timeseries',
    descending: json.at('descending').flag(false),
    limit: json.at('limit').countOrZero(),
  }
}

function readTopN(json: Json, depth: number): NativeQuery {
  const dimension = readDimension(json.at('dimension'))
  const aggregating = readAggregating(json, depth, [dimension], [json.at('dimension')])
  const threshold = json.at('threshold').count()
  const names = new Set([...aggregating.aggregations, ...aggregating.postAggregations].map(({ name }) => name))
  return { ...aggregating, kind: 'topN', dimension, threshold, metric: readMetric(json.at('metric'), names) }
}

function readMetric(json: Json, names: ReadonlySet<string | null>): TopNMetric {
  const numeric = (at: Json): TopNMetric => {
    const metric = at.text()
    return names.has(metric)
      ? { kind: 'numeric', metric }
      : at.fail(`"${metric}" is not the name of an aggregator or post-aggregator`)
  }
  if (!json.isObject) return numeric(json)
  switch (json.type()) {
    case 'numeric':
      return numeric(json.at('metric'))
    case 'inverted':
      return { kind: 'inverted', metric: readMetric(json.at('metric'), names) }
    case 'dimension':
    case 'lexicographic':
    case 'alphaNumeric': {
      const fallback = json.type() === 'alphaNumeric' ? 'alphanumeric' : 'lexicographic'
      return {
        kind: 'dimension',
        ordering: readTextOrdering(json.at('ordering'), fallback),
        previousStop: json.at('previousStop').textOrNull(),
      }
    }
    default:
      return json.refuseType('topN metric', [])
  }
}

function readGroupBy(json: Json, depth: number): NativeQuery {
  const items = json.at('dimensions').itemsOrNone()
  const dimensions = items.map(readDimension)
  const aggregating = readAggregating(json, depth, dimensions, items)
  const having = json.at('having')
  const outputs = new Set(dimensions.map(({ outputName }) => outputName))
  const subtotals = json.at('subtotalsSpec')
  const readSubtotal = (item: Json): readonly string[] =>
    item
      .items()
      .map((name) =>
        outputs.has(name.text()) ? name.text() : name.fail(`"${name.text()}" is not a dimension of the query`),
      )
  return {
    ...aggregating,
    kind: 'groupBy',
    dimensions,
    having: having.missing ? null : readHaving(having),
    limitSpec: readLimitSpec(json.at('limitSpec')),
    subtotals: subtotals.missing ? null : subtotals.items().map(readSubtotal),
  }
}

const orders = ['none', 'ascending', 'descending'] as const

function readScan(json: Json, depth: number): NativeQuery {
  const format = json.at('resultFormat').textOrNull() ?? 'list'
  if (format === 'valueVector') throw unsupported(json.at('resultFormat').path, 'the result format "valueVector"')
  if (format !== 'list' && format !== 'compactedList') json.at('resultFormat').fail('must be list or compactedList')
  const columns = json.at('columns').missing ? [] : json.at('columns').texts()
  const order = readScanOrder(json)
  if (order !== 'none' && columns.length > 0 && !columns.includes('__time'))
    json.at('columns').fail('must include __time for rows in time order')
  return {
    ...readCommon(json, depth),
    kind: 'scan',
    columns,
    compact: format === 'compactedList',
    batchSize: json.at('batchSize').countOr(20_480),
    limit: json.at('limit').countOrZero() || null,
    offset: json.at('offset').countOrZero(),
    order,
  }
}

function readScanOrder(json: Json): (typeof orders)[number] {
  const [order, orderBy] = [json.at('order'), json.at('orderBy').itemsOrNone()]
  const named = order.missing ? 'none' : order.oneOf(orders)
  const first = orderBy[0]
  if (first === undefined) return named
  if (orderBy.length > 1 || first.at('columnName').text() !== '__time')
    return json.at('orderBy').fail('rows can be ordered only by __time')
  return first.at('order').oneOf(orders)
}

function readSearch(json: Json, depth: number): NativeQuery {
  const dimensions = json.at('searchDimensions')
  return {
    ...readCommon(json, depth),
    kind: 'search',
    granularity: json.at('granularity').missing ? { kind: 'all' } : readNativeGranularity(json.at('granularity')),
    dimensions:
      dimensions.missing || (Array.isArray(dimensions.value) && dimensions.value.length === 0)
        ? null
        : Array.isArray(dimensions.value)
          ? dimensions.items().map(readDimension)
          : [readDimension(dimensions)],
    query: readSearchSpec(json.at('query')),
    limit: json.at('limit').countOr(1000),
    ordering: readTextOrdering(json.at('sort'), 'lexicographic'),
  }
}

const analysisTypes = [
  'cardinality',
  'interval',
  'minmax',
  'size',
  'timestampSpec',
  'queryGranularity',
  'aggregators',
  'rollup',
  'projections',
] as const
const mergeStrategies = ['strict', 'lenient', 'earliest', 'latest'] as const

function readSegmentMetadata(json: Json, depth: number): NativeQuery {
  const [strategy, lenient, analyses, include] = [
    'aggregatorMergeStrategy',
    'lenientAggregatorMerge',
    'analysisTypes',
    'toInclude',
  ].map((name) => json.at(name)) as [Json, Json, Json, Json]
  if (!strategy.missing && !lenient.missing) strategy.fail('is not allowed with lenientAggregatorMerge')
  if (!strategy.missing) strategy.oneOf(mergeStrategies)
  const read = analyses.missing
    ? ['cardinality', 'interval', 'minmax']
    : analyses.items().map((item) => item.oneOf(analysisTypes))
  return {
    ...readCommon(json, depth, true),
    kind: 'segmentMetadata',
    newestWeek: json.at('intervals').missing,
    toInclude: readInclude(include),
    merge: json.at('merge').flag(false),
    analyses: new Set(read),
  }
}

function readInclude(json: Json): 'all' | 'none' | readonly string[] {
  if (json.missing) return 'all'
  const type = json.type()
  if (type === 'all' || type === 'none') return type
  return type === 'list' ? json.at('columns').texts() : json.refuseType('toInclude', [])
}
