// Which native queries the store answers from its own columns, and how. Whatever is not known here for certain goes to the SQL engine, faults
// of the query too: there they are told.
// Tested by `test/druid-native/planned.test.ts`.
import type { NativeGranularity } from '../../druid-time/native-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import type { StoredAggregate } from '../../model/aggregation.ts'
import { type Entity, type EntityField, fieldsOfRole } from '../../model/entity.ts'
import type { Granularity } from '../../model/granularity.ts'
import { msPerDay } from '../../model/instant.ts'
import type { Range } from '../../model/plan.ts'
import type { GroupByQuery, NativeQuery, TimeseriesQuery, TopNMetric, TopNQuery } from '../parse/native-query-types.ts'
import type { Aggregator, DimensionSpec, Having, PostAggregator } from '../parse/query-nodes.ts'
import type {
  GroupCondition,
  GroupExpression,
  GroupFinish,
  GroupOrder,
  GroupOutput,
  NativePlan,
} from './native-plan.ts'
import { type FieldOf, rowFilter } from './row-filter.ts'

/** More groups are left to the SQL engine, which puts what does not fit into memory on the disk. */
const groupsMax = 100_000

/** Rows that are read one by one, which takes a tenth of a second or so of the store's thread; the SQL engine's process reads more of them. */
const rowsMax = 4_000_000

type Aggregating = TimeseriesQuery | TopNQuery | GroupByQuery

/** Null where the SQL engine answers. */
export function planNative(query: NativeQuery, entityOf: (name: string) => Entity | null): NativePlan | null {
  if (query.kind !== 'timeseries' && query.kind !== 'topN' && query.kind !== 'groupBy') return null
  if (query.dataSource.kind !== 'table' || query.virtualColumns.length > 0) return null
  const entity = entityOf(query.dataSource.name)
  if (entity === null || entity.duplicates === 'replace') return null
  const granularity = plainGranularity(query.granularity)
  if (granularity === null) return null
  const fieldOf = fieldsOf(entity)
  const filter = query.filter === null ? null : rowFilter(query.filter, fieldOf)
  if (query.filter !== null && filter === null) return null
  const keys = dimensionsOf(query).map((spec) => keyOf(spec, fieldOf))
  if (keys.some((key) => key === null)) return null
  const columns = outputsOf(query, fieldOf)
  const finish = columns === null ? null : finishOf(query, columns.outputs)
  const [tag, ...tags] = fieldsOfRole(entity, 'tag')
  const [time] = fieldsOfRole(entity, 'time')
  if (columns === null || finish === null || tag === undefined || time === undefined) return null
  return {
    aggregation: {
      entityId: entity.id,
      sinceMs: entity.sinceMs,
      time,
      tags: [tag, ...tags],
      ranges: query.intervals.flatMap(({ startMs, endMs }): readonly Range[] =>
        startMs < endMs ? [{ fromMs: startMs, toMs: endMs - 1 }] : [],
      ),
      filter,
      granularity,
      keys: keys.filter((key) => key !== null),
      aggregates: columns.aggregates,
      groupsMax,
      rowsMax,
      needsDays: needsDays(query),
    },
    outputs: columns.outputs,
    finish,
    intervals: query.intervals,
    timesAsLong: query.context.timesAsLong,
    skipsEmptyBuckets: query.context.skipEmptyBuckets,
    shape: shapeOf(query),
  }
}

/** Which buckets an answer has, and what stamps that of all time, depends on the days that have rows. */
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
      return { kind: 'groupBy', asArray: query.context.resultAsArray }
  }
}

/** In UTC alone, and from where buckets begin by themselves. */
function plainGranularity(granularity: NativeGranularity): Granularity | null {
  if (granularity.kind === 'all') return { kind: 'all' }
  if (granularity.zone !== Zone.utc) return null
  switch (granularity.kind) {
    case 'uniform':
      return { kind: 'uniform', widthMs: granularity.widthMs, originMs: granularity.originMs }
    case 'localTime':
      return { kind: 'uniform', widthMs: granularity.widthMs, originMs: 0 }
    case 'days':
      return { kind: 'uniform', widthMs: granularity.days * msPerDay, originMs: granularity.originLocalMs }
    case 'months':
      return granularity.originLocalMs === 0 ? { kind: 'months', months: granularity.months } : null
    case 'walk':
      return null
  }
}

/** The columns of texts and numbers, by their names. */
function fieldsOf({ fields }: Entity): FieldOf {
  const types = new Set(['string', 'double', 'long'])
  const byName = new Map(
    fields.filter(({ type, role }) => role !== 'time' && types.has(type)).map((one) => [one.name, one]),
  )
  return (name) => byName.get(name) ?? null
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

/** Texts as they are. */
function keyOf(spec: DimensionSpec, fieldOf: FieldOf): EntityField | null {
  if (spec.extraction !== null || spec.keep !== null || spec.outputType !== 'STRING') return null
  const field = fieldOf(spec.dimension)
  return field?.type === 'string' ? field : null
}

interface Columns {
  readonly aggregates: readonly StoredAggregate[]
  /** The dimensions, then what is aggregated, then what is worked out. */
  readonly outputs: readonly GroupOutput[]
}

function outputsOf(query: Aggregating, fieldOf: FieldOf): Columns | null {
  const dimensions = dimensionsOf(query)
  const aggregates: StoredAggregate[] = []
  const outputs = dimensions.map(
    ({ outputName: name }, place): GroupOutput => ({ name, type: 'STRING', value: { kind: 'cell', at: 1 + place } }),
  )
  const add = (aggregate: StoredAggregate): number => dimensions.length + aggregates.push(aggregate)
  for (const aggregator of query.aggregations) {
    const output = aggregatorOutput(aggregator, fieldOf, add)
    if (output === null) return null
    outputs.push(output)
  }
  for (const post of query.postAggregations) {
    const value = postValue(post, outputs)
    if (value === null || post.name === null) return null
    outputs.push({ name: post.name, ...value })
  }
  // Whether there was a row at all: a bucket without one may be left out.
  add({ kind: 'rows' })
  return { aggregates, outputs }
}

function aggregatorOutput(
  aggregator: Aggregator,
  fieldOf: FieldOf,
  add: (aggregate: StoredAggregate) => number,
): GroupOutput | null {
  const { name } = aggregator
  switch (aggregator.kind) {
    case 'count':
      return { name, type: 'LONG', value: { kind: 'cell', at: add({ kind: 'rows' }) } }
    case 'mean': {
      const field = fieldOf(aggregator.fieldName)
      if (field === null || field.type === 'string') return null
      const sumAt = add({ kind: 'sum', type: 'double', field })
      return { name, type: 'DOUBLE', value: { kind: 'mean', sumAt, countAt: add({ kind: 'values', field }) } }
    }
    case 'sum':
    case 'min':
    case 'max': {
      const { fieldName } = aggregator.input
      const field = fieldName === null ? null : fieldOf(fieldName)
      if (field === null || field.type === 'string' || aggregator.type === 'FLOAT') return null
      if (aggregator.type === 'LONG' && field.type !== 'long') return null
      const kind = ({ sum: 'sum', min: 'least', max: 'greatest' } as const)[aggregator.kind]
      const type = aggregator.type === 'LONG' ? 'long' : 'double'
      return { name, type: aggregator.type, value: { kind: 'cell', at: add({ kind, type, field }) } }
    }
    default:
      return null
  }
}

function postValue(post: PostAggregator, before: readonly GroupOutput[]): Pick<GroupOutput, 'type' | 'value'> | null {
  switch (post.kind) {
    case 'fieldAccess':
      return before.find(({ name }) => name === post.fieldName) ?? null
    case 'constant': {
      const isLong = typeof post.value === 'bigint' || Number.isSafeInteger(post.value)
      if (!isLong) return { type: 'DOUBLE', value: { kind: 'constant', value: Number(post.value) } }
      return { type: 'LONG', value: { kind: 'constant', value: BigInt(post.value) } }
    }
    case 'arithmetic': {
      const { fn } = post
      // Where they are ordered by, numbers come before what is none.
      if (fn === 'pow' || fn === 'quotient' || post.numericFirst || post.fields.length < 2) return null
      const fields = post.fields.map((field) => postValue(field, before))
      if (fields.some((field) => field === null || field.type === 'STRING')) return null
      const values = fields.flatMap((field): readonly GroupExpression[] => (field === null ? [] : [field.value]))
      return { type: 'DOUBLE', value: { kind: 'arithmetic', fn, fields: values } }
    }
    default:
      return null
  }
}

function finishOf(query: Aggregating, outputs: readonly GroupOutput[]): GroupFinish | null {
  const all: GroupFinish = { having: null, order: [], offset: 0, limit: null, isByBucket: false }
  switch (query.kind) {
    case 'timeseries':
      return query.context.grandTotal ? null : all
    case 'topN': {
      const order = rankingOf(query.metric, outputs)
      if (order === null) return null
      return { ...all, order: [bucketFirst, ...order], limit: query.threshold, isByBucket: true }
    }
    case 'groupBy':
      return finishGroupBy(query, outputs)
  }
}

const ascending = (value: GroupExpression): GroupOrder => ({ value, isDescending: false, nulls: 'first' })
const bucketFirst = ascending({ kind: 'cell', at: 0 })

/** As in Druid: nulls are last whichever way, and what ties is in the order of the dimension. */
function rankingOf(metric: TopNMetric, outputs: readonly GroupOutput[]): readonly GroupOrder[] | null {
  const isInverted = metric.kind === 'inverted'
  const by = isInverted ? metric.metric : metric
  const dimension = outputs[0]!.value
  if (by.kind === 'inverted') return null
  if (by.kind === 'numeric') {
    const value = outputs.find(({ name }) => name === by.metric)?.value
    if (value === undefined) return null
    return [{ value, isDescending: !isInverted, nulls: 'last' }, ascending(dimension)]
  }
  if (by.ordering !== 'lexicographic' || by.previousStop !== null) return null
  return [{ value: dimension, isDescending: isInverted, nulls: 'first' }]
}

function finishGroupBy(query: GroupByQuery, outputs: readonly GroupOutput[]): GroupFinish | null {
  if (query.subtotals !== null) return null
  const byColumns: GroupOrder[] = []
  for (const { dimension, descending: isDescending, ordering } of query.limitSpec.columns) {
    const output = outputs.find(({ name }) => name === dimension)
    if (output === undefined) return null
    // A metric is ordered by its number, whatever ordering stands there.
    if (output.type === 'STRING' && ordering !== 'lexicographic') return null
    byColumns.push({ value: output.value, isDescending, nulls: isDescending ? 'last' : 'first' })
  }
  const natural = query.dimensions.map((_, place) => ascending({ kind: 'cell', at: 1 + place }))
  const order = query.context.sortByDimsFirst
    ? [...byColumns, ...natural, bucketFirst]
    : [bucketFirst, ...byColumns, ...natural]
  const having = query.having === null ? null : conditionOf(query.having, outputs)
  if (query.having !== null && having === null) return null
  const { limit, offset } = query.limitSpec
  return { having, order, offset, limit, isByBucket: false }
}

function conditionOf(having: Having, outputs: readonly GroupOutput[]): GroupCondition | null {
  switch (having.kind) {
    case 'always':
      return { kind: 'always' }
    case 'and':
    case 'or': {
      const conditions = having.specs.map((spec) => conditionOf(spec, outputs))
      if (conditions.some((condition) => condition === null)) return null
      return { kind: having.kind, conditions: conditions.filter((condition) => condition !== null) }
    }
    case 'not': {
      const condition = conditionOf(having.spec, outputs)
      return condition === null ? null : { kind: 'not', condition }
    }
    case 'compare': {
      const output = outputs.find(({ name }) => name === having.aggregation)
      if (output === undefined || output.type === 'STRING') return null
      return { kind: 'compare', operator: having.operator, value: output.value, constant: having.value }
    }
    default:
      return null
  }
}
