// Whether hours of rollups can replace rows, by the buckets, keys and aggregates of an aggregation.
import { fieldsOf, type Scalar } from '../../../algebra/scalar.ts'
import { areOfWholeHours } from '../../hours/whole-hours.ts'
import { BucketWalk } from '../run/bucket-walk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import type { LinearColumn } from './group-hours.ts'
import type { Fields, GroupAggregate, Grouping } from './grouping.ts'
import { linearValue } from './linear-hours.ts'

/** Null where all rows belong to one bucket. */
export function walkOf({ granularity }: Grouping, { buckets }: Fields): BucketWalk | null {
  if (granularity.kind === 'all') return null
  if (granularity.kind !== 'zoned') return new BucketWalk(granularity)
  if (buckets === null) throw new Error('buckets by the clocks of a zone are given')
  return new BucketWalk({ kind: 'all' }, buckets)
}

/** Whether the aggregated field is computed. */
const aggregatesComputed = (aggregate: GroupAggregate, { computedValueOf }: Fields): boolean =>
  'field' in aggregate && computedValueOf(aggregate.field.name) !== null

/** A computed field that consists of one column of doubles and constants; null for any other. */
export function linearOf(aggregate: GroupAggregate, { computedValueOf, accessorOf }: Fields): LinearColumn | null {
  const value = 'field' in aggregate && aggregate.field.type === 'double' ? computedValueOf(aggregate.field.name) : null
  const linear = value === null ? null : linearValue(value)
  if (linear === null || computedValueOf(linear.field.name) !== null) return null
  const accessor = accessorOf(linear.field.name)
  return accessor.kind === 'column' ? { index: accessor.index, steps: linear.steps } : null
}

export function columnIndices(accessors: readonly FieldAccessor[]): number[] {
  return accessors.flatMap((accessor) => (accessor.kind === 'column' ? [accessor.index] : []))
}

/** The columns that, with the series, decide which rows pass; null where the time or a computed field decides too, or no column does. */
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

/** Whether the buckets, keys and aggregates of a plan allow hours to replace rows. `linear` has an entry for each aggregate. */
export function holdInHours(plan: Grouping, fields: Fields, linear: readonly (LinearColumn | null)[]): boolean {
  const { accessorOf, computedValueOf } = fields
  return (
    areOfWholeHours(plan.granularity, fields.buckets) &&
    plan.keys.every(({ name }) => computedValueOf(name) === null) &&
    plan.aggregates.every((aggregate, place) => {
      if ('end' in aggregate) return false
      if (aggregate.kind === 'distinct' && accessorOf(aggregate.field.name).kind === 'column') return false
      return linear[place] !== null || !aggregatesComputed(aggregate, fields)
    })
  )
}
