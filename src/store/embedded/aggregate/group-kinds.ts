// What an aggregation asks of time and of rows: whether hours of rollups may stand for them.
import { fieldsOf, type Scalar } from '../../../algebra/scalar.ts'
import { areOfWholeHours } from '../../hours/whole-hours.ts'
import { BucketWalk } from '../run/bucket-walk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import type { LinearColumn } from './group-hours.ts'
import type { Fields, GroupAggregate, Grouping } from './grouping.ts'
import { linearValue } from './linear-hours.ts'

/** Null where all rows are of one bucket. */
export function walkOf({ granularity }: Grouping, { buckets }: Fields): BucketWalk | null {
  if (granularity.kind === 'all') return null
  if (granularity.kind !== 'zoned') return new BucketWalk(granularity)
  if (buckets === null) throw new Error('buckets by the clocks of a zone are given')
  return new BucketWalk({ kind: 'all' }, buckets)
}

/** Whether a computed field is aggregated. */
const aggregatesComputed = (aggregate: GroupAggregate, { computedValueOf }: Fields): boolean =>
  'field' in aggregate && computedValueOf(aggregate.field.name) !== null

/** A computed field of one column of doubles and constants; null for anything else. */
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
