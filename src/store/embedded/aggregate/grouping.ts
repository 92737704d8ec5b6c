// An aggregation or an average, after its fields are resolved.
import type { AggregationPlan, StoreAggregate, TimeBuckets } from '../../../algebra/aggregation.ts'
import type { Scalar } from '../../../algebra/scalar.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import type { ComputedColumns } from './computed-columns.ts'

/** `mean` is the mean of the values that are not null, as a double; null if there are none. */
export type GroupAggregate =
  | StoreAggregate
  | { readonly kind: 'mean'; readonly field: EntityField; readonly where?: undefined }

/** The ranges, filter, keys and aggregates of an aggregation or an average. */
export interface Grouping extends Pick<AggregationPlan, 'ranges' | 'filter' | 'granularity' | 'keys' | 'unitsMax'> {
  readonly aggregates: readonly GroupAggregate[]
  /** Whether a row counts only if an aggregated column has a value in it. */
  readonly countsItems: boolean
  /** Whether the filter passes exactly the good items. */
  readonly isOfGood: boolean
  readonly limits: GroupLimits
}

/** The most groups, and the most distinct buckets. */
export interface GroupLimits {
  readonly groups: number
  readonly buckets: number
  /** Makes the error that is thrown beyond one of them. */
  readonly passed: (limit: 'groups' | 'buckets') => Error
}

/** Access to the fields of a grouping. */
export interface Fields {
  readonly accessorOf: (name: string) => FieldAccessor
  /** The column index of each aggregate, -1 where it has none. */
  readonly columns: readonly number[]
  /** Null where no field is computed. */
  readonly computed: ComputedColumns | null
  /** The expression of a computed field; null for a field of the entity. */
  readonly computedValueOf: (name: string) => Scalar | null
  /** The buckets of a granularity that follows a zone's clocks. */
  readonly buckets: TimeBuckets | null
  /** Opened columns of numbers. A column with a value in every row reveals how many rows an hour has. */
  readonly numbers: readonly number[]
}

export function columnsOf({ aggregates }: Pick<Grouping, 'aggregates'>, accessorOf: Fields['accessorOf']): number[] {
  return aggregates.map((aggregate) => ('field' in aggregate ? columnOf(accessorOf(aggregate.field.name)) : -1))
}

/** The index of a column; -1 for an accessor that is not a column. */
export function columnOf(accessor: FieldAccessor): number {
  return accessor.kind === 'column' ? accessor.index : -1
}

/** Whether an aggregate needs the bounds of hours. For longs they show whether the doubles are exact. */
export function needsBounds(aggregate: GroupAggregate): boolean {
  const { kind } = aggregate
  return kind === 'least' || kind === 'greatest' || ('type' in aggregate && aggregate.type === 'long')
}
