// A plan is what a data query means, as plain data: names are checked, dates are resolved, defaults are filled in.
// Every store answers the same plan with the same rows in the same order.
import type { Duration } from './duration.ts'
import type { EntityField, Shape } from './entity.ts'
import type { Granularity, ZonedGranularity } from './granularity.ts'
import type { QualityWord } from './quality.ts'

/** Which items a query looks at: those of the entity whose first tag of `tags` passes `ids` AND `prefixes` (null: no such filter). */
export interface Selection {
  readonly entityId: number
  /** Items before this date have left the entity: no query sees them. Null while none have. */
  readonly sinceMs: number | null
  /** Of items before that the hours are kept, from this date on; absent where they are not. */
  readonly hours?: KeptSince
  readonly time: EntityField
  /** What is shown, and by whose combinations items are told apart: "each tag" below is each of these. The rows of others are pooled. */
  readonly tags: readonly [EntityField, ...EntityField[]]
  readonly ids: readonly string[] | null
  /** Sorted; none of them begins with another, and none is empty. */
  readonly prefixes: readonly string[] | null
  /** An item is a row in which at least one of these is not null. Never empty. */
  readonly metrics: readonly EntityField[]
  /** Extra dimension and tag fields that come before the metrics, and the quality where it is shown. */
  readonly fields: readonly EntityField[]
  /** Absent where the entity has no field of the role `quality`. */
  readonly quality?: TakenQuality
}

/** From when on hours are kept of rows that left; null is for ever. */
export interface KeptSince {
  readonly sinceMs: number | null
}

/** What a query takes: items whose quality is one of the words. */
export interface TakenQuality {
  readonly field: EntityField
  readonly words: readonly QualityWord[]
}

/** Both ends belong to the range; an open side is -Infinity or Infinity. */
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
 * Output: time (the bucket's start), tags (if `byTag`), fields, metrics (doubles); ordered in this order.
 * With granularity `all` the bucket's start is `range.fromMs`, or the date of the first selected item when that is open.
 */
export interface AveragePlan {
  readonly kind: 'average'
  readonly selection: Selection
  readonly range: Range
  readonly granularity: Granularity | ZonedGranularity
  readonly byTag: boolean
  /** Absent: a bucket without items has no row. */
  readonly fill?: Fill
}

/** What the empty buckets of a series are shown with: nulls, the value of the last known bucket, or one on the line between two. */
export interface Fill {
  readonly kind: (typeof fillKinds)[number]
  /** From the end of the last known bucket to the start of one that is filled; null is no bound. */
  readonly maxGap: Duration | null
}
export const fillKinds = ['null', 'previous', 'linear'] as const

/** Each tag's newest item at or after `fromMs`. Output as of select. */
export interface LatestPlan {
  readonly kind: 'latest'
  readonly selection: Selection
  readonly fromMs: number
}

/** Each tag's item strictly before (last) or after (next) `dateMs`, nearest first, after skipping `offset` of them. Output as of select. */
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
  /** Rising; at most `limits.buckets` of them. */
  readonly ticksMs: Float64Array
  /** Then each metric has its value at the tick, by its own items. */
  readonly values?: ValuesOverTime
}

/** The values of metrics as functions of time. */
export interface ValuesOverTime {
  /** By the order of the metrics. */
  readonly metrics: readonly MetricOverTime[]
  /** The tags, by the first one of the selection, that have a shape of their own. */
  readonly shapeOfTag: readonly (readonly [tag: string, shape: Shape])[]
  /** After a tag's last item its value holds until then. */
  readonly nowMs: number
}

export interface MetricOverTime {
  readonly shape: Shape
  /** Further from an item than that, nothing is known; null is no bound. */
  readonly maxGap: Duration | null
}

/** Those that need the squares of values: hours of rows that have left do not keep them. */
const aggregatesOfSquares = ['stddev'] as const
export const aggregateNames = [
  ...(['mean', 'min', 'max', 'sum', 'count', 'first', 'last'] as const),
  ...aggregatesOfSquares,
  ...(['time_mean', 'covered', 'total', 'min_time', 'max_time', 'rise', 'resets', 'good'] as const),
] as const
export type AggregateName = (typeof aggregateNames)[number]

const squared: ReadonlySet<AggregateName> = new Set(aggregatesOfSquares)
export const needsSquares = (name: AggregateName): boolean => squared.has(name)

/** What is told of each metric in each bucket, of each combination of tags and `fields`. Output: time, tags, fields, columns. */
export interface AggregatePlan {
  readonly kind: 'aggregate'
  readonly selection: Selection
  readonly range: Range
  readonly granularity: Granularity | ZonedGranularity
  readonly values: ValuesOverTime
  readonly columns: readonly AggregateColumn[]
  /** Whether a bucket in which no value is known has no row, though items lie in it. */
  readonly onlyKnown: boolean
  readonly totalUnitMs: number
  readonly counter: Counter
  readonly fill?: Fill
}

/** Metric by metric. */
export interface AggregateColumn {
  readonly name: string
  /** Its place in the selection. */
  readonly metric: number
  readonly aggregate: AggregateName
}

/** What a fall of a counter means: it counts from 0 again, or from its new value; or on through the wrap. */
export interface Counter {
  readonly reset: 'zero' | 'skip'
  readonly wrap: number | null
}

/** The items that a chart of so many pixels needs. Output as of select. */
export interface PlotPlan {
  readonly kind: 'plot'
  readonly selection: Selection
  readonly range: Range
  readonly points: number
}

/** How long each metric had each value. Output: time, tags, metric, value, seconds, entries. */
export interface StatesPlan {
  readonly kind: 'states'
  readonly selection: Selection
  readonly range: Range
  readonly granularity: Granularity | ZonedGranularity
  readonly values: ValuesOverTime
  readonly fill?: Fill
}

/** Plans of values over time, which are the same fold over ordered items in every store. */
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

/** The most a query may answer with, and how long it may take. Passing one of them is an error, never a cut result. */
export interface PlanLimits {
  readonly resultRows: number
  readonly buckets: number
  readonly resultBytes: number
}

/** Plans whose answers have a row for a bucket: those that are filled. */
export type BucketedPlan = AveragePlan | AggregatePlan | StatesPlan

export interface ValueColumn extends EntityField {
  /** What an empty bucket is shown with; `filled` where that is as the request says. */
  readonly whenEmpty: 0 | null | 'filled'
}

/** What an empty bucket shows before it is filled. */
export const emptyValue = ({ whenEmpty }: ValueColumn): 0 | null => (whenEmpty === 'filled' ? null : whenEmpty)

/** The columns of a row that are no keys: behind time, tags and fields. */
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
      // What lies on the line between two longs is none.
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

/** The name and type of each column of the plan's output, in order. */
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

/** What lies on the line between two longs is none. */
function snapped(metric: EntityField, over: MetricOverTime | undefined): EntityField {
  return metric.type === 'long' && over?.shape === 'line' ? { ...metric, type: 'double' } : metric
}
