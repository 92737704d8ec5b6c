// Values that are worked out of each row, as plain data.
import type { EntityField } from './entity.ts'
import { fieldsOfFilter, type RowFilter } from './row-condition.ts'

/**
 * Null where a part is null. Longs go round at 64 bits and are cut when they are divided. What has no finite double, and a long divided by
 * zero, is for another way to answer.
 */
export type RowValue =
  /** A metric, a dimension or a tag, or another value that was made before. */
  | { readonly kind: 'field'; readonly field: EntityField }
  /** A long is below 2^53 in size. */
  | { readonly kind: 'number'; readonly type: NumberType; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  /** Of doubles where one side is a double. The remainder, of longs alone, has the sign of the first. */
  | {
      readonly kind: 'arithmetic'
      readonly type: NumberType
      readonly operator: RowOperator
      readonly left: RowValue
      readonly right: RowValue
    }
  /** `double` and `long` are types: a double that becomes a long is cut. */
  | {
      readonly kind: 'changed'
      readonly type: NumberType
      readonly change: 'floor' | 'ceil' | 'abs' | 'double' | 'long'
      readonly operand: RowValue
    }
  /** A double to so many decimal places, halves away from zero. */
  | { readonly kind: 'rounded'; readonly places: number; readonly operand: RowValue }
  /** The first of which the condition is true; null is null. */
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

/** A value that rows are asked for under the name of a field which no entity has. */
export interface MadeField {
  readonly field: EntityField
  readonly value: RowValue
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

/** The values that a value is made of, one level down. */
export function partsOfValue(value: RowValue): readonly RowValue[] {
  switch (value.kind) {
    case 'arithmetic':
      return [value.left, value.right]
    case 'changed':
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
