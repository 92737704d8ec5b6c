// A plan is what a data query means, as plain data: names are checked, dates are resolved, defaults are filled in.
// Every store answers the same plan with the same rows in the same order.
import type { Duration } from './duration.ts'
import type { EntityField } from './entity.ts'
import type { Granularity, ZonedGranularity } from './granularity.ts'

/** Which items a query looks at: those of the entity whose first tag of `tags` passes `ids` AND `prefixes` (null: no such filter). */
export interface Selection {
  readonly entityId: number
  /** Items before this date have left the entity: no query sees them. Null while none have. */
  readonly sinceMs: number | null
  readonly time: EntityField
  /** What is shown, and by whose combinations items are told apart: "each tag" below is each of these. The rows of others are pooled. */
  readonly tags: readonly [EntityField, ...EntityField[]]
  readonly ids: readonly string[] | null
  /** Sorted; none of them begins with another, and none is empty. */
  readonly prefixes: readonly string[] | null
  /** An item is a row in which at least one of these is not null. Never empty. */
  readonly metrics: readonly EntityField[]
  /** Extra dimension and tag fields that come before the metrics. */
  readonly fields: readonly EntityField[]
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
}

export type Plan = SelectPlan | AveragePlan | LatestPlan | NeighbourPlan | SnapPlan

/** The most a query may answer with, and how long it may take. Passing one of them is an error, never a cut result. */
export interface PlanLimits {
  readonly resultRows: number
  readonly buckets: number
  readonly resultBytes: number
}

/** Plans whose answers have a row for a bucket: those that are filled. */
export type BucketedPlan = AveragePlan

export interface ValueColumn extends EntityField {
  /** What an empty bucket is shown with; `filled` where that is as the request says. */
  readonly whenEmpty: 0 | null | 'filled'
}

/** The columns of a row that are no keys: behind time, tags and fields. */
export function valueColumns({ selection }: BucketedPlan): readonly ValueColumn[] {
  return selection.metrics.map((metric) => ({ ...metric, type: 'double', whenEmpty: 'filled' }))
}

/** The name and type of each column of the plan's output, in order. */
export function outputFields(plan: Plan): readonly EntityField[] {
  const { time, tags, fields, metrics } = plan.selection
  if (plan.kind === 'average') {
    return [time, ...(plan.byTag ? tags : []), ...fields, ...valueColumns(plan)]
  }
  const tick: EntityField = { name: 'snap', type: 'timestamp', role: 'time' }
  return [time, ...tags, ...fields, ...metrics, ...(plan.kind === 'snap' ? [tick] : [])]
}
