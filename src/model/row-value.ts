// Values that are computed from each row, as plain data.
import type { EntityField } from './entity.ts'
import { fieldsOfFilter, type RowFilter } from './row-condition.ts'

/**
 * Null where a part is null. Longs wrap around at 64 bits, and their quotients are cut. Where a double is not finite, or a long is divided by zero, the SQL
 * engine answers in place of the store.
 */
export type RowValue =
  /** A metric, a dimension or a tag, or a computed field before this one. */
  | { readonly kind: 'field'; readonly field: EntityField }
  /** The absolute value of a long is below 2^53. */
  | { readonly kind: 'number'; readonly type: NumberType; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  /** A double if either side is one. The remainder (`%`) is of longs alone, and has the sign of the left side. */
  | {
      readonly kind: 'arithmetic'
      readonly type: NumberType
      readonly operator: RowOperator
      readonly left: RowValue
      readonly right: RowValue
    }
  /** `double` and `long` cast: a double that becomes a long is cut. */
  | {
      readonly kind: 'unary'
      readonly type: NumberType
      readonly operator: 'floor' | 'ceil' | 'abs' | 'double' | 'long'
      readonly operand: RowValue
    }
  /** A double, rounded to so many decimal places; halves go away from zero. */
  | { readonly kind: 'rounded'; readonly places: number; readonly operand: RowValue }
  /** CASE: the value of the first branch whose condition is true. A value of null is null. */
  | {
      readonly kind: 'choice'
      readonly type: NumberType | 'string'
      readonly branches: readonly RowBranch[]
      readonly otherwise: RowValue | null
    }

export type RowOperator = '+' | '-' | '*' | '/' | '%'
type NumberType = 'long' | 'double'

export interface RowBranch {
  readonly passes: RowFilter
  readonly value: RowValue | null
}

/** A value under the name of a field that no entity has: a query asks for it as for any other field. */
export interface ComputedField {
  readonly field: EntityField
  readonly value: RowValue
}

/** The most of them in a query. One with more goes to the SQL engine. */
export const computedMax = 50

/** Names of computed fields begin with it; no field of an entity has it in its name. */
const mark = '@'

export const isComputed = ({ name }: EntityField): boolean => name.startsWith(mark)

/** The one after `before` others. */
export function computedField(value: RowValue, before: number): ComputedField {
  return { field: { name: `${mark}${before}`, type: typeOfValue(value), role: 'dimension' }, value }
}

export function typeOfValue(value: RowValue): NumberType | 'string' {
  switch (value.kind) {
    case 'field': {
      const { type } = value.field
      return type === 'long' || type === 'double' ? type : 'string'
    }
    case 'text':
      return 'string'
    case 'rounded':
      return 'double'
    default:
      return value.type
  }
}

/** The values that a value is computed from, one level down. */
export function partsOfValue(value: RowValue): readonly RowValue[] {
  switch (value.kind) {
    case 'arithmetic':
      return [value.left, value.right]
    case 'unary':
    case 'rounded':
      return [value.operand]
    case 'choice':
      return [...value.branches.map((branch) => branch.value), value.otherwise].filter((part) => part !== null)
    default:
      return []
  }
}

/** The fields that a value reads, in its conditions too. */
export function fieldsOfValue(value: RowValue): readonly EntityField[] {
  if (value.kind === 'field') return [value.field]
  const conditions = value.kind === 'choice' ? value.branches.flatMap(({ passes }) => fieldsOfFilter(passes)) : []
  return [...conditions, ...partsOfValue(value).flatMap(fieldsOfValue)]
}
