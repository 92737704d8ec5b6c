// Conditions of rows, as plain data.
import type { EntityField } from './entity.ts'

/**
 * Which rows count. A comparison with null is neither true nor false, and a row counts where the whole is true. `not` stands before
 * single conditions alone (De Morgan): `isNegated`.
 */
export type RowFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly RowFilter[] }
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'null'; readonly field: EntityField; readonly isNegated: boolean }
  | {
      readonly kind: 'texts'
      readonly field: EntityField
      readonly values: readonly string[]
      readonly isNegated: boolean
    }
  | {
      readonly kind: 'numbers'
      readonly field: EntityField
      readonly values: readonly number[]
      readonly isNegated: boolean
    }
  /** `%` stands for any characters, `_` for one; the escape takes their meaning from them. */
  | {
      readonly kind: 'like'
      readonly field: EntityField
      readonly pattern: string
      readonly escapedBy: string | null
      readonly isNegated: boolean
    }
  | (ValueBounds<string> & { readonly kind: 'textRange'; readonly field: EntityField; readonly isNegated: boolean })
  | (ValueBounds<number> & { readonly kind: 'numberRange'; readonly field: EntityField; readonly isNegated: boolean })

/** Texts by code point. Numbers are compared as doubles: bounds for longs are below 2^53 in size, so that no rounding shows. */
export interface ValueBounds<Bound> {
  readonly lower: Bound | null
  readonly upper: Bound | null
  readonly isLowerOpen: boolean
  readonly isUpperOpen: boolean
}

/** The fields of a filter. */
export function fieldsOfFilter(filter: RowFilter): readonly EntityField[] {
  if (filter.kind === 'constant') return []
  return 'filters' in filter ? filter.filters.flatMap(fieldsOfFilter) : [filter.field]
}
