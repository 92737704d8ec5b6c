// What an aggregation or an average asks of rows, once its fields are found.
import type { AggregationPlan, StoreAggregate, TimeBuckets } from '../../../algebra/aggregation.ts'
import type { Scalar } from '../../../algebra/scalar.ts'
import type { EntityField } from '../../../model/entity.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import type { ComputedColumns } from './computed-columns.ts'

/** The mean is of the values, as a double; null over nothing. */
export type GroupAggregate =
  | StoreAggregate
  | { readonly kind: 'mean'; readonly field: EntityField; readonly where?: undefined }

/** What rows are put into groups by, and what is kept of them: an aggregation, or an average. */
export interface Grouping extends Pick<AggregationPlan, 'ranges' | 'filter' | 'granularity' | 'keys' | 'unitsMax'> {
  readonly aggregates: readonly GroupAggregate[]
  /** Whether a row counts only if it has a value of a column that is aggregated. */
  readonly countsItems: boolean
  /** Whether the filter takes the good items, all of them and no others. */
  readonly isOfGood: boolean
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
  readonly computedValueOf: (name: string) => Scalar | null
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

/** Whether hours need bounds to say what an aggregate is: for longs they say whether their doubles are exact. */
export function needsBounds(aggregate: GroupAggregate): boolean {
  const { kind } = aggregate
  return kind === 'least' || kind === 'greatest' || ('type' in aggregate && aggregate.type === 'long')
}
