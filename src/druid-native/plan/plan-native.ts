// Decides which native queries the store executes on its own columns, and how. Anything uncertain goes to the SQL engine, including invalid
// queries: it reports their errors.
// Tested by `test/druid-native/planned.test.ts`.

import { type AggregationPlan, aggregatedFields, boundsOfWork, selectedRows } from '../../algebra/aggregation.ts'
import type { GroupOrder } from '../../algebra/finish-groups.ts'
import { cellNode, type Scalar } from '../../algebra/scalar.ts'
import { plainGranularity } from '../../druid-time/plain-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { Entity, EntityField } from '../../model/entity.ts'
import type { Range } from '../../model/plan.ts'
import type { GroupByQuery, NativeQuery, TimeseriesQuery, TopNMetric, TopNQuery } from '../parse/native-query-types.ts'
import type { DimensionSpec } from '../parse/query-nodes.ts'
import type { GroupOutput, NativePlan } from './native-plan.ts'
import { type Columns, inputOf, keyOf, outputOf, plannedColumns } from './plan-columns.ts'
import { readHaving } from './read-scalar.ts'
import { indexOfFields, rowFilter } from './row-filter.ts'
import { type VirtualFields, virtualFields } from './virtual-fields.ts'

type Aggregating = TimeseriesQuery | TopNQuery | GroupByQuery

/** Null if the SQL engine must execute the query. */
export function planNative(query: NativeQuery, entityOf: (name: string) => Entity | null): NativePlan | null {
  if (query.kind !== 'timeseries' && query.kind !== 'topN' && query.kind !== 'groupBy') return null
  if (query.dataSource.kind !== 'table') return null
  const entity = entityOf(query.dataSource.name)
  if (entity === null) return null
  const fieldOf = aggregatedFields(entity)
  const virtual = virtualFields(query.virtualColumns, fieldOf)
  if (virtual === null) return null
  const index = indexOfFields(fieldOf, query.virtualColumns)
  const filter = query.filter === null ? null : rowFilter(query.filter, virtual, index)
  if (query.filter !== null && filter === null) return null
  const grouping = groupingOf(query, virtual)
  if (grouping === null) return null
  const { keys, granularity } = grouping
  const columns = plannedColumns(query, grouping.outputs, keys, virtual)
  const finish = columns === null ? null : finishOf(query, columns)
  const asked = selectedRows(entity, { ranges: rangesOf(query), filter })
  if (columns === null || finish === null || asked === null) return null
  return {
    aggregation: {
      computed: virtual.computed.all,
      granularity,
      keys,
      aggregates: columns.aggregates,
      needsDays: needsDays(query),
      ...boundsOfWork(cellsOf(columns, finish)),
      ...asked,
    },
    outputs: columns.outputs,
    steps: columns.steps,
    finish,
    intervals: query.intervals,
    timesAsLong: query.context.timesAsLong,
    zone: query.granularity.kind === 'all' ? Zone.utc.name : query.granularity.zone.name,
    skipsEmptyBuckets: query.context.skipEmptyBuckets,
    shape: shapeOf(query),
  }
}

interface Grouping {
  readonly keys: readonly EntityField[]
  readonly granularity: AggregationPlan['granularity']
  /** One for each dimension. */
  readonly outputs: readonly GroupOutput[]
}

/** The grouping of rows. With granularity `all`, a dimension that is a floor of the time becomes the granularity. */
function groupingOf(query: Aggregating, { fieldOf, floorOf }: VirtualFields): Grouping | null {
  const keys: EntityField[] = []
  const outputs: GroupOutput[] = []
  let granularity = plainGranularity(query.granularity)
  for (const spec of dimensionsOf(query)) {
    const { outputName: name, outputType, extraction, keep } = spec
    const floor = floorOf(spec.dimension)
    const key = floor === null ? keyOf(spec, fieldOf) : null
    if (key !== null) outputs.push({ name, type: 'STRING', value: cellNode('string', keys.push(key)) })
    else {
      const isPlain = query.kind === 'groupBy' && outputType === 'LONG' && extraction === null && keep === null
      if (floor === null || granularity?.kind !== 'all' || !isPlain) return null
      granularity = floor
      outputs.push({ name, type: 'LONG', value: cellNode('timestamp', 0) })
    }
  }
  return granularity === null ? null : { keys, granularity, outputs }
}

/** The time ranges of a query. */
export function rangesOf({ intervals }: Pick<NativeQuery, 'intervals'>): readonly Range[] {
  return intervals.map(({ startMs, endMs }) => ({ fromMs: startMs, toMs: endMs - 1 }))
}

/** Number of values that a group needs, from its aggregates to its line of the response. */
function cellsOf({ aggregates, outputs, steps }: Columns, { order }: NativePlan['finish']): number {
  // Intermediate values of expressions cost time but no memory.
  return 1 + aggregates.length + 2 * outputs.length + order.length + Math.floor(steps / 8)
}

/** The buckets of the result, and the timestamp of the single bucket of `all`, depend on the days that have rows. */
function needsDays(query: Aggregating): boolean {
  if (query.kind !== 'timeseries') return query.kind === 'topN'
  return query.granularity.kind === 'all' || !query.context.skipEmptyBuckets
}

function shapeOf(query: Aggregating): NativePlan['shape'] {
  switch (query.kind) {
    case 'timeseries':
      return { kind: 'timeseries', isDescending: query.descending, limit: query.limit }
    case 'topN':
      return { kind: 'topN' }
    case 'groupBy':
      return { kind: 'groupBy', asArray: query.context.resultAsArray, showsBucket: query.granularity.kind !== 'all' }
  }
}

function dimensionsOf(query: Aggregating): readonly DimensionSpec[] {
  switch (query.kind) {
    case 'timeseries':
      return []
    case 'topN':
      return [query.dimension]
    case 'groupBy':
      return query.dimensions
  }
}

function finishOf(query: Aggregating, columns: Columns): NativePlan['finish'] | null {
  const all: NativePlan['finish'] = { having: null, order: [], offset: 0, limit: null, isByBucket: false }
  switch (query.kind) {
    case 'timeseries':
      return query.context.grandTotal ? null : all
    case 'topN': {
      const order = rankingOf(query.metric, columns)
      if (order === null) return null
      return { ...all, order: [bucketFirst, ...order], limit: query.threshold, isByBucket: true }
    }
    case 'groupBy':
      return finishGroupBy(query, columns)
  }
}

const ascending = (value: Scalar): GroupOrder => ({ value, isDescending: false, nulls: 'first' })
const bucketFirst = ascending(cellNode('timestamp', 0))

/** As in Druid: nulls sort last in both directions, ties by the dimension. */
function rankingOf(metric: TopNMetric, columns: Columns): readonly GroupOrder[] | null {
  const isInverted = metric.kind === 'inverted'
  const by = isInverted ? metric.metric : metric
  const dimension = outputCell(0, columns)
  if (by.kind === 'inverted') return null
  if (by.kind === 'numeric') {
    const metricOutput = outputOf(by.metric, columns)
    if (metricOutput === null || metricOutput.type === 'STRING') return null
    return [{ value: metricOutput.value, isDescending: !isInverted, nulls: 'last' }, ascending(dimension)]
  }
  if (by.ordering !== 'lexicographic' || by.previousStop !== null) return null
  return [{ value: dimension, isDescending: isInverted, nulls: 'first' }]
}

function finishGroupBy(query: GroupByQuery, columns: Columns): NativePlan['finish'] | null {
  if (query.subtotals !== null) return null
  const byColumns: GroupOrder[] = []
  for (const { dimension, descending: isDescending, ordering } of query.limitSpec.columns) {
    const output = outputOf(dimension, columns)
    if (output === null) return null
    // A metric is ordered by its number, whatever ordering is specified.
    if (output.type === 'STRING' && ordering !== 'lexicographic') return null
    const isTime = query.dimensions.some(
      ({ outputName, outputType }) => outputName === dimension && outputType === 'LONG',
    )
    if (isTime && ordering !== 'numeric') return null
    byColumns.push({ value: output.value, isDescending, nulls: isDescending ? 'last' : 'first' })
  }
  const natural = query.dimensions.map((_, place) => ascending(outputCell(place, columns)))
  // A dimension that is a floor of the time sorts like any other dimension.
  const byBucket = query.granularity.kind === 'all' ? [] : [bucketFirst]
  const order = query.context.sortByDimsFirst
    ? [...byColumns, ...natural, ...byBucket]
    : [...byBucket, ...byColumns, ...natural]
  const having = query.having === null ? null : readHaving(query.having, (name) => inputOf(name, columns))
  if (query.having !== null && having === null) return null
  const { limit, offset } = query.limitSpec
  return { having, order, offset, limit, isByBucket: false }
}

const outputCell = (at: number, { outputs, outputsAt }: Columns): Scalar =>
  cellNode(outputs[at]!.value.type, outputsAt + at)
