// What an aggregation asks of time and of rows: whether hours of rollups may stand for them.

import type { AggregationPlan, StoreAggregate, TimeBuckets } from '../../../algebra/aggregation.ts'
import { fieldsOf, type Scalar } from '../../../algebra/scalar.ts'
import type { Range } from '../../../model/plan.ts'
import { BucketWalk, isOfWholeHours } from '../run/bucket-walk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import type { ComputedColumns } from './computed-columns.ts'
import type { LinearColumn } from './group-hours.ts'
import type { GroupFields } from './group-rows.ts'
import { linearValue } from './linear-hours.ts'

export interface Fields extends GroupFields {
  /** Null where no field is computed. */
  readonly computed: ComputedColumns | null
  /** What a computed field is; null for those of the entity. */
  readonly computedValueOf: (name: string) => Scalar | null
  /** How time is cut where the granularity is by the clocks of a zone. */
  readonly buckets: TimeBuckets | null
  /** Columns of numbers that were opened: one that has a value in each row tells how many rows an hour has. */
  readonly numbers: readonly number[]
  /** How many series the entity has. */
  readonly seriesCount: number
  /** Between which dates the rows of each table lie. */
  readonly tableSpans: readonly Range[]
}

/** Null where all rows are of one bucket. */
export function walkOf({ granularity }: AggregationPlan, { buckets }: Fields): BucketWalk | null {
  if (granularity.kind === 'all') return null
  return granularity.kind === 'zoned' ? new BucketWalk({ kind: 'all' }, buckets) : new BucketWalk(granularity)
}

/** Whether buckets are made of whole UTC hours; by the clocks of a zone each hour is looked at as well. */
function isOfHours({ granularity }: AggregationPlan, { buckets }: Fields): boolean {
  return granularity.kind === 'zoned' ? buckets?.areOfHours === true : isOfWholeHours(granularity)
}

/** Whether a computed field is aggregated. */
const aggregatesComputed = (aggregate: StoreAggregate, { computedValueOf }: Fields): boolean =>
  'field' in aggregate && computedValueOf(aggregate.field.name) !== null

/** A computed field of one column of doubles and constants; null for anything else. */
export function linearOf(aggregate: StoreAggregate, { computedValueOf, accessorOf }: Fields): LinearColumn | null {
  const value = 'field' in aggregate && aggregate.field.type === 'double' ? computedValueOf(aggregate.field.name) : null
  const linear = value === null ? null : linearValue(value)
  if (linear === null || computedValueOf(linear.field.name) !== null) return null
  const accessor = accessorOf(linear.field.name)
  return accessor.kind === 'column' ? { index: accessor.index, steps: linear.steps } : null
}

export function columnIndices(accessors: readonly FieldAccessor[]): number[] {
  return accessors.flatMap((accessor) => (accessor.kind === 'column' ? [accessor.index] : []))
}

/** The columns that decide, with the series, which rows pass; null where more does: the time, or what is computed. */
export function filteredColumns(
  filter: Scalar | null,
  { accessorOf, computedValueOf }: Fields,
): readonly number[] | null {
  const asked = fieldsOf(filter)
  const accessors = asked.map(({ name }) => accessorOf(name))
  const isOfMore = accessors.some(({ kind }) => kind === 'time') || asked.some(({ name }) => computedValueOf(name))
  const columns = columnIndices(accessors)
  return isOfMore || columns.length === 0 ? null : columns
}

/** Whether hours may stand for rows as far as buckets, keys and aggregates go; `linear` is of each aggregate. */
export function holdInHours(plan: AggregationPlan, fields: Fields, linear: readonly (LinearColumn | null)[]): boolean {
  const { accessorOf, computedValueOf } = fields
  return (
    isOfHours(plan, fields) &&
    plan.keys.every(({ name }) => computedValueOf(name) === null) &&
    plan.aggregates.every((aggregate, place) => {
      if ('end' in aggregate) return false
      if (aggregate.kind === 'distinct' && accessorOf(aggregate.field.name).kind === 'column') return false
      return linear[place] !== null || !aggregatesComputed(aggregate, fields)
    })
  )
}
