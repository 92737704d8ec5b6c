// A plan is the meaning of a data query as plain data: names are checked, dates are resolved, defaults are filled in.
// Every store returns the same rows in the same order for a plan.
import type { Duration } from './duration.ts'
import type { EntityField, Shape } from './entity.ts'
import type { Granularity, ZonedGranularity } from './granularity.ts'
import type { QualityWord } from './quality.ts'

/** The items that a query covers: items of the entity whose first tag of `tags` matches both `ids` and `prefixes` (null: no such filter). */
export interface Selection {
  readonly entityId: number
  /** Items before this date have expired; no query sees them. Null while none have. */
  readonly sinceMs: number | null
  /** From this date on, hours of the expired items are kept; absent if they are not. */
  readonly hours?: KeptSince
  readonly time: EntityField
  /** The tags in the output. Their combinations distinguish items: "each tag" below means each combination. Rows that differ only in other tags are pooled. */
  readonly tags: readonly [EntityField, ...EntityField[]]
  readonly ids: readonly string[] | null
  /** Sorted; none is empty or a prefix of another. */
  readonly prefixes: readonly string[] | null
  /** A row is an item if at least one of these is not null. Never empty. */
  readonly metrics: readonly EntityField[]
  /** Extra dimension and tag fields, output before the metrics, and the quality field where it is shown. */
  readonly fields: readonly EntityField[]
  /** Absent if the entity has no field of role `quality`. */
  readonly quality?: QualityFilter
}

/** The date from which hours of expired rows are kept; null keeps them forever. */
export interface KeptSince {
  readonly sinceMs: number | null
}

/** The quality filter of a query: items whose quality is one of the words. */
export interface QualityFilter {
  readonly field: EntityField
  readonly words: readonly QualityWord[]
}

/** Both ends are inclusive; an open end is -Infinity or Infinity. */
export interface Range {
  readonly fromMs: number
  readonly toMs: number
}

/** Each item in the range. Output: time, tags, fields, metrics; ordered by time, tags, fields, position. */
export interface SelectPlan {
  readonly kind: 'select'
  readonly selection: Selection
  readonly range: Range
}

/**
 * The mean of each metric's non-null values for each bucket, tag (if `byTag`) and combination of `fields`.
 * Output: time (the bucket's start), tags (if `byTag`), fields, metrics (doubles); sorted in that order.
 * With granularity `all` the bucket starts at `range.fromMs`, or at the date of the first selected item if that end is open.
 */
export interface AveragePlan {
  readonly kind: 'average'
  readonly selection: Selection
  readonly range: Range
  readonly granularity: Granularity | ZonedGranularity
  readonly byTag: boolean
  /** Absent: empty buckets have no row. */
  readonly fill?: Fill
}

/** How empty buckets of a series are filled: with nulls, the value of the last known bucket, or linear interpolation between two known buckets. */
export interface Fill {
  readonly kind: (typeof fillKinds)[number]
  /** Measured from the end of the last known bucket to the start of the filled one; null is unbounded. */
  readonly maxGap: Duration | null
}
export const fillKinds = ['null', 'previous', 'linear'] as const

/** Each tag's newest item at or after `fromMs`. Output as for select. */
export interface LatestPlan {
  readonly kind: 'latest'
  readonly selection: Selection
  readonly fromMs: number
}

/** Each tag's nearest item strictly before (last) or after (next) `dateMs`, after skipping `offset` items. Output as for select. */
export interface NeighbourPlan {
  readonly kind: 'last' | 'next'
  readonly selection: Selection
  readonly dateMs: number
  readonly offset: number
}

/** Each tag's newest item at or before each tick. Output: time, tags, fields, metrics, tick; ordered by tick, then tags. */
export interface SnapPlan {
  readonly kind: 'snap'
  readonly selection: Selection
  /** The requested start, at or before the first tick; absent for an open one. */
  readonly startMs?: number
  /** Ascending; at most `limits.buckets`. */
  readonly ticksMs: Float64Array
  /** If present, each metric has its value at the tick, computed from its own items. */
  readonly values?: ValuesOverTime
}

/** Metric values as functions of time. */
export interface ValuesOverTime {
  /** In the order of the selection's metrics. */
  readonly metrics: readonly MetricOverTime[]
  /** Tags with a shape of their own, by the value of the selection's first tag. */
  readonly shapeOfTag: readonly (readonly [tag: string, shape: Shape])[]
  /** A tag's last value is held until this time. */
  readonly nowMs: number
}

export interface MetricOverTime {
  readonly shape: Shape
  /** The value is unknown at times further than this from an item; null is unbounded. */
  readonly maxGap: Duration | null
}

/** Aggregates that need squares of values. The hours of expired rows do not store squares. */
const aggregatesOfSquares = ['stddev'] as const
export const aggregateNames = [
  ...(['mean', 'min', 'max', 'sum', 'count', 'first', 'last'] as const),
  ...aggregatesOfSquares,
  ...(['time_mean', 'covered', 'total', 'min_time', 'max_time', 'rise', 'resets', 'good'] as const),
] as const
export type AggregateName = (typeof aggregateNames)[number]

const squared: ReadonlySet<AggregateName> = new Set(aggregatesOfSquares)
export const needsSquares = (name: AggregateName): boolean => squared.has(name)

/** Aggregates of each metric for each bucket and combination of tags and `fields`. Output: time, tags, fields, columns. */
export interface AggregatePlan {
  readonly kind: 'aggregate'
  readonly selection: Selection
  readonly range: Range
  readonly granularity: Granularity | ZonedGranularity
  readonly values: ValuesOverTime
  readonly columns: readonly AggregateColumn[]
  /** Whether buckets in which no value is known have no row, even if they contain items. */
  readonly onlyKnown: boolean
  readonly totalUnitMs: number
  readonly counter: Counter
  readonly fill?: Fill
}

/** Columns are ordered by metric. */
export interface AggregateColumn {
  readonly name: string
  /** Index of the metric in the selection. */
  readonly metric: number
  readonly aggregate: AggregateName
}

/** Interpretation of a counter that falls: it restarts from 0 (`zero`) or from its new value (`skip`); with `wrap`, it wrapped around there. */
export interface Counter {
  readonly reset: 'zero' | 'skip'
  readonly wrap: number | null
}

/** The items needed for a chart of `points` pixels. Output as for select. */
export interface PlotPlan {
  readonly kind: 'plot'
  readonly selection: Selection
  readonly range: Range
  readonly points: number
}

/** The time that each metric had each value. Output: time, tags, metric, value, seconds, entries. */
export interface StatesPlan {
  readonly kind: 'states'
  readonly selection: Selection
  readonly range: Range
  readonly granularity: Granularity | ZonedGranularity
  readonly values: ValuesOverTime
  readonly fill?: Fill
}

/** Plans of values over time. Every store evaluates them by the same fold over ordered items. */
export type OverTimePlan = AggregatePlan | StatesPlan | PlotPlan | (SnapPlan & { readonly values: ValuesOverTime })

export function isOverTime(plan: Plan): plan is OverTimePlan {
  return (
    plan.kind === 'aggregate' ||
    plan.kind === 'states' ||
    plan.kind === 'plot' ||
    (plan.kind === 'snap' && plan.values !== undefined)
  )
}

export type Plan =
  | SelectPlan
  | AveragePlan
  | LatestPlan
  | NeighbourPlan
  | SnapPlan
  | AggregatePlan
  | PlotPlan
  | StatesPlan

/** Limits of a query's result. Exceeding one is an error; results are never truncated. */
export interface PlanLimits {
  readonly resultRows: number
  readonly buckets: number
  readonly resultBytes: number
}

/** Plans that return one row per bucket; only these can be filled. */
export type BucketedPlan = AveragePlan | AggregatePlan | StatesPlan

export interface ValueColumn extends EntityField {
  /** The value of an empty bucket; `filled` if the request's `fill` decides it. */
  readonly whenEmpty: 0 | null | 'filled'
}

/** The value of an empty bucket before it is filled. */
export const emptyValue = ({ whenEmpty }: ValueColumn): 0 | null => (whenEmpty === 'filled' ? null : whenEmpty)

/** The columns that are not keys: those after time, tags and fields. */
export function valueColumns(plan: BucketedPlan): readonly ValueColumn[] {
  const { metrics } = plan.selection
  switch (plan.kind) {
    case 'average':
      return metrics.map((metric) => ({ ...metric, type: 'double', whenEmpty: 'filled' }))
    case 'aggregate':
      return plan.columns.map((column) => aggregateColumn(column, metrics[column.metric]!, plan.fill))
    case 'states':
      return [
        { name: 'seconds', type: 'double', role: 'metric', whenEmpty: 0 },
        { name: 'entries', type: 'long', role: 'metric', whenEmpty: 0 },
      ]
  }
}

function aggregateColumn({ name, aggregate }: AggregateColumn, { type }: EntityField, fill?: Fill): ValueColumn {
  const column = { name, role: 'metric' } as const
  switch (aggregate) {
    case 'count':
      return { ...column, type: 'long', whenEmpty: 0 }
    case 'resets':
      return { ...column, type: 'long', whenEmpty: null }
    case 'covered':
      return { ...column, type: 'double', whenEmpty: 0 }
    case 'good':
      return { ...column, type: 'double', whenEmpty: null }
    case 'min_time':
    case 'max_time':
      return { ...column, type: 'timestamp', whenEmpty: null }
    case 'min':
    case 'max':
    case 'first':
    case 'last':
      // Interpolation between two longs yields a double.
      return { ...column, type: fill?.kind === 'linear' ? 'double' : type, whenEmpty: 'filled' }
    case 'mean':
    case 'sum':
    case 'time_mean':
    case 'total':
    case 'rise':
    case 'stddev':
      return { ...column, type: 'double', whenEmpty: 'filled' }
  }
}

/** The columns of the plan's output, in order. */
export function outputFields(plan: Plan): readonly EntityField[] {
  const { time, tags, fields, metrics } = plan.selection
  switch (plan.kind) {
    case 'average':
      return [time, ...(plan.byTag ? tags : []), ...fields, ...valueColumns(plan)]
    case 'aggregate':
      return [time, ...tags, ...fields, ...valueColumns(plan)]
    case 'states':
      return [time, ...tags, ...fields, text('metric'), text('value'), ...valueColumns(plan)]
    case 'snap': {
      const tick: EntityField = { name: 'snap', type: 'timestamp', role: 'time' }
      return [
        time,
        ...tags,
        ...fields,
        ...metrics.map((metric, place) => snapped(metric, plan.values?.metrics[place])),
        tick,
      ]
    }
    default:
      return [time, ...tags, ...fields, ...metrics]
  }
}

const text = (name: string): EntityField => ({ name, type: 'string', role: 'dimension' })

/** Interpolation between two longs yields a double. */
function snapped(metric: EntityField, over: MetricOverTime | undefined): EntityField {
  return metric.type === 'long' && over?.shape === 'line' ? { ...metric, type: 'double' } : metric
}
