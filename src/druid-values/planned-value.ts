// What becomes of groups once they are made, as plain data. Native queries and SQL both compile to it.
import type { ComparisonOperator } from '../lib/comparison-operator.ts'

export type PlannedType = 'string' | 'long' | 'double' | 'timestamp'

/** A value of a group, from its row: in SQL its bucket, its keys, its aggregates; in native queries the outputs that come before. Null where any part is. */
export type PlannedValue =
  | { readonly kind: 'cell'; readonly type: PlannedType; readonly at: number }
  | { readonly kind: 'constant'; readonly type: 'long' | 'double'; readonly value: number | bigint }
  | { readonly kind: 'text'; readonly type: 'string'; readonly value: string }
  /** Null over nothing. */
  | { readonly kind: 'mean'; readonly type: 'double'; readonly sumAt: number; readonly countAt: number }
  /** What constants of rows add up to: of those that pass, and of the other ones of all; null where no row has any. */
  | {
      readonly kind: 'constants'
      readonly type: 'long' | 'double'
      readonly allAt: number
      readonly passedAt: number
      readonly passed: number
      /** Null where the others have none. */
      readonly others: number | null
    }
  /** The sum of the rows that pass, where each other row counts as 0; null where all pass and none has a value. */
  | {
      readonly kind: 'sumOrZero'
      readonly type: 'long' | 'double'
      readonly sumAt: number
      readonly allAt: number
      readonly passedAt: number
    }
  /** To so many decimal places, halves away from zero. */
  | { readonly kind: 'rounded'; readonly type: 'double'; readonly operand: PlannedValue; readonly places: number }
  | { readonly kind: 'negated'; readonly type: 'long' | 'double'; readonly operand: PlannedValue }
  /** `long` and `double` cast: a double is cut, to the nearest long where it is beyond all of them. */
  | {
      readonly kind: 'unary'
      readonly type: 'long' | 'double'
      readonly operator: 'floor' | 'ceil' | 'abs' | 'sqrt' | 'long' | 'double'
      readonly operand: PlannedValue
    }
  /** The remainder is of longs alone, and has the sign of the left side. */
  | {
      readonly kind: 'arithmetic'
      readonly type: 'long' | 'double'
      readonly operator: '+' | '-' | '*' | '/' | '%'
      readonly left: PlannedValue
      readonly right: PlannedValue
    }
  /** Of doubles nothing of nothing is 0; else null where it is divided by 0. */
  | {
      readonly kind: 'safeQuotient'
      readonly type: 'long' | 'double'
      readonly left: PlannedValue
      readonly right: PlannedValue
    }
  /** The first that is not null. */
  | { readonly kind: 'first'; readonly type: PlannedType; readonly values: readonly PlannedValue[] }
  /** CASE: the value of the first branch whose condition is true. Other branches are not worked out. A value of null is null. */
  | {
      readonly kind: 'choice'
      readonly type: PlannedType
      readonly branches: readonly { readonly when: PlannedCondition; readonly value: PlannedValue | null }[]
      readonly otherwise: PlannedValue | null
    }
  /** 1 or 0; null where it is unknown. */
  | { readonly kind: 'truth'; readonly type: 'long'; readonly condition: PlannedCondition }

export type NumberValue = PlannedValue & { readonly type: 'long' | 'double' }

/** True, false or unknown. Numbers are compared with numbers, texts with texts by code point. */
export type PlannedCondition =
  | {
      readonly kind: 'compare'
      readonly operator: ComparisonOperator
      readonly left: PlannedValue
      readonly right: PlannedValue
    }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly PlannedCondition[] }
  | { readonly kind: 'not'; readonly condition: PlannedCondition }
  | { readonly kind: 'null'; readonly value: PlannedValue; readonly isNegated: boolean }
