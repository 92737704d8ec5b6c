// A native query that the store answers from its own columns, as plain data: what is aggregated, and what becomes of the groups.

import type { Interval } from '../../druid-time/iso.ts'
import type { PlannedValue } from '../../druid-values/planned-value.ts'
import type { ValueOrder } from '../../lib/value-order.ts'
import type { AggregationPlan } from '../../model/aggregation.ts'
import type { ValueType } from '../values/typed.ts'

/** A value of the answer, from the row of a group (its bucket, its keys, its aggregates) and from the outputs that come before. */
export type GroupExpression =
  | { readonly kind: 'cell'; readonly at: number }
  /** A text of the row, of which so many characters are shown. */
  | { readonly kind: 'cut'; readonly at: number; readonly characters: number }
  | { readonly kind: 'output'; readonly at: number }
  | { readonly kind: 'double'; readonly value: GroupExpression }
  | { readonly kind: 'constant'; readonly value: number | bigint }
  /** 0 over nothing. */
  | { readonly kind: 'mean'; readonly sumAt: number; readonly countAt: number }
  /** The cells of this one are the outputs that come before. */
  | { readonly kind: 'workedOut'; readonly value: PlannedValue }
  /** In doubles, from left to right; what is divided by 0 is 0, and null stays null. */
  | { readonly kind: 'arithmetic'; readonly fn: '+' | '-' | '*' | '/'; readonly fields: readonly GroupExpression[] }

export interface GroupOutput {
  readonly name: string
  readonly type: Extract<ValueType, 'STRING' | 'LONG' | 'DOUBLE'>
  readonly value: GroupExpression
}

/** True or false: null is neither above, below nor equal to a number. */
export type GroupCondition =
  | {
      readonly kind: 'compare'
      readonly operator: '>' | '<' | '='
      readonly value: GroupExpression
      readonly constant: number | bigint | null
    }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly GroupCondition[] }
  | { readonly kind: 'not'; readonly condition: GroupCondition }
  | { readonly kind: 'always' }

export interface GroupOrder extends ValueOrder {
  readonly value: GroupExpression
}

export interface GroupFinish {
  readonly having: GroupCondition | null
  readonly order: readonly GroupOrder[]
  readonly offset: number
  /** Null is all. */
  readonly limit: number | null
  /** Whether `limit` is that of each bucket. */
  readonly isByBucket: boolean
}

export interface NativePlan {
  readonly aggregation: AggregationPlan
  readonly outputs: readonly GroupOutput[]
  /** How many parts the expressions have that are worked out of each group. */
  readonly steps: number
  readonly finish: GroupFinish
  readonly intervals: readonly Interval[]
  readonly timesAsLong: boolean
  /** By whose clocks times are written. */
  readonly zone: string
  readonly skipsEmptyBuckets: boolean
  readonly shape:
    | { readonly kind: 'timeseries'; readonly isDescending: boolean; readonly limit: number }
    | { readonly kind: 'topN' }
    | { readonly kind: 'groupBy'; readonly asArray: boolean; readonly showsBucket: boolean }
}
