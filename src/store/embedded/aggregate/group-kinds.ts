// What an aggregation asks of time and of rows: whether hours of rollups may stand for them.
import type { AggregationPlan, StoreAggregate, TimeBuckets } from '../../../model/aggregation.ts'
import type { EntityField } from '../../../model/entity.ts'
import { fieldsOfFilter, type RowFilter } from '../../../model/row-condition.ts'
import type { RowValue } from '../../../model/row-value.ts'
import { BucketWalk, isOfWholeHours } from '../run/bucket-walk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import type { ComputedColumns } from './computed-columns.ts'
import type { LinearColumn } from './group-hours.ts'
import { linearValue } from './linear-hours.ts'

/** The mean is of the values, as a double; null over nothing. */
export type GroupAggregate =
  | StoreAggregate
  | { readonly kind: 'mean'; readonly field: EntityField; readonly where?: undefined }

/** What rows are put into groups by, and what is kept of them: an aggregation, or an average. */
export interface Grouping extends Pick<AggregationPlan, 'ranges' | 'filter' | 'granularity' | 'keys' | 'unitsMax'> {
  readonly aggregates: readonly GroupAggregate[]
  /** Whether a row counts only if it has a value of a column that is aggregated. */
  readonly countsItems: boolean
  readonly limits: GroupLimits
}

/** The most groups, and different buckets of them. */
export interface GroupLimits {
  readonly groups: number
  readonly buckets: number
  /** What is thrown beyond one of them. */
  readonly passed: (limit: 'groups' | 'buckets') => Error
}

/** Where the fields of a grouping are found. */
export interface Fields {
  readonly accessorOf: (name: string) => FieldAccessor
  /** The index of the column of each aggregate, -1 where it has none. */
  readonly columns: readonly number[]
  /** Null where no field is computed. */
  readonly computed: ComputedColumns | null
  /** What a computed field is; null for those of the entity. */
  readonly computedValueOf: (name: string) => RowValue | null
  /** How time is cut where the granularity is by the clocks of a zone. */
  readonly buckets: TimeBuckets | null
  /** Columns of numbers that were opened: one that has a value in each row tells how many rows an hour has. */
  readonly numbers: readonly number[]
}

export function columnsOf({ aggregates }: Pick<Grouping, 'aggregates'>, accessorOf: Fields['accessorOf']): number[] {
  return aggregates.map((aggregate) => ('field' in aggregate ? columnOf(accessorOf(aggregate.field.name)) : -1))
}

/** The index of a column, -1 for what is none. */
export function columnOf(accessor: FieldAccessor): number {
  return accessor.kind === 'column' ? accessor.index : -1
}

/** Null where all rows are of one bucket. */
export function walkOf({ granularity }: Grouping, { buckets }: Fields): BucketWalk | null {
  if (granularity.kind === 'all') return null
  return granularity.kind === 'zoned' ? new BucketWalk({ kind: 'all' }, buckets) : new BucketWalk(granularity)
}

/** Whether buckets are made of whole UTC hours; by the clocks of a zone each hour is looked at as well. */
function isOfHours({ granularity }: Grouping, { buckets }: Fields): boolean {
  return granularity.kind === 'zoned' ? buckets?.areOfHours === true : isOfWholeHours(granularity)
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
  filter: RowFilter | null,
  { accessorOf, computedValueOf }: Fields,
): readonly number[] | null {
  const asked = filter === null ? [] : fieldsOfFilter(filter)
  const accessors = asked.map(({ name }) => accessorOf(name))
  const isOfMore = accessors.some(({ kind }) => kind === 'time') || asked.some(({ name }) => computedValueOf(name))
  const columns = columnIndices(accessors)
  return isOfMore || columns.length === 0 ? null : columns
}

/** Whether hours may stand for rows as far as buckets, keys and aggregates go; `linear` is of each aggregate. */
export function holdInHours(plan: Grouping, fields: Fields, linear: readonly (LinearColumn | null)[]): boolean {
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

/** Whether hours need bounds to say what an aggregate is: for longs they say whether their doubles are exact. */
export function needsBounds(aggregate: GroupAggregate): boolean {
  const { kind } = aggregate
  return kind === 'least' || kind === 'greatest' || ('type' in aggregate && aggregate.type === 'long')
}
