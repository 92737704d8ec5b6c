// Conditions of a query on the items of a table that can be decided from the items alone. They exclude items that the query would not use.
// The query itself then runs on the remaining items with all its conditions, so a condition may let too many items through, but must never
// exclude one that the query uses.

import { compareCodePoints } from '../../lib/compare-code-points.ts'
import { type ComparisonOperator, satisfies } from '../../lib/comparison-operator.ts'
import type { FieldType } from '../../model/field.ts'
import {
  allKeys,
  intersection,
  type KeyRange,
  keyAfter,
  keyOfDouble,
  keyOfLong,
  keyOfString,
  keysBeginningWith,
} from '../../model/item-key.ts'
import type { EngineItemValue } from '../../sql-engine/sql-engine.ts'

/** Of the type of its column. A timestamp is in milliseconds. */
export type ItemConstant = string | number | bigint

export type ItemCondition =
  | {
      readonly kind: 'compare'
      readonly column: number
      readonly operator: ComparisonOperator
      readonly value: ItemConstant
    }
  | { readonly kind: 'in'; readonly column: number; readonly values: ReadonlySet<ItemConstant> }
  | {
      readonly kind: 'text'
      readonly column: number
      readonly how: 'begins' | 'ends' | 'holds'
      readonly text: string
    }
  | { readonly kind: 'isNull' | 'isNotNull'; readonly column: number }
  | { readonly kind: 'all' | 'any'; readonly conditions: readonly ItemCondition[] }

/** Whether an item meets the condition; `valueAt` returns the value of a column. */
export function isMet(condition: ItemCondition, valueAt: (column: number) => EngineItemValue): boolean {
  switch (condition.kind) {
    case 'all':
      return condition.conditions.every((one) => isMet(one, valueAt))
    case 'any':
      return condition.conditions.some((one) => isMet(one, valueAt))
    case 'isNull':
      return valueAt(condition.column) === null
    default:
      return meets(condition, valueAt(condition.column))
  }
}

type Leaf = Exclude<ItemCondition, { kind: 'all' | 'any' | 'isNull' }>

function meets(condition: Extract<Leaf, ItemCondition>, value: EngineItemValue): boolean {
  if (value === null) return false
  switch (condition.kind) {
    case 'compare':
      return satisfies(condition.operator, ordered(value, condition.value))
    case 'in':
      return condition.values.has(value)
    case 'text':
      return textMeets(condition.how, String(value), condition.text)
    default:
      return true
  }
}

function ordered(left: ItemConstant, right: ItemConstant): number {
  if (typeof left === 'string' && typeof right === 'string') return compareCodePoints(left, right)
  return left < right ? -1 : left > right ? 1 : 0
}

function textMeets(how: 'begins' | 'ends' | 'holds', value: string, text: string): boolean {
  if (how === 'holds') return value.includes(text)
  return how === 'begins' ? value.startsWith(text) : value.endsWith(text)
}

/** One range of keys that contains all items that meet the condition; `index` is the column of the identifier. */
export function keyRangeOf(condition: ItemCondition, index: number, type: FieldType): KeyRange {
  switch (condition.kind) {
    case 'all':
      return condition.conditions.map((one) => keyRangeOf(one, index, type)).reduce(intersection, allKeys)
    case 'any':
      return condition.conditions.map((one) => keyRangeOf(one, index, type)).reduce(hull)
    case 'compare':
      return condition.column === index ? compared(keyOf(type, condition.value), condition.operator) : allKeys
    case 'in':
      if (condition.column !== index) return allKeys
      return [...condition.values].map((value) => compared(keyOf(type, value), '=')).reduce(hull)
    case 'text':
      return condition.column === index && condition.how === 'begins'
        ? keysBeginningWith(keyOfString(condition.text))
        : allKeys
    default:
      return allKeys
  }
}

function compared(key: Uint8Array, operator: ComparisonOperator): KeyRange {
  switch (operator) {
    case '=':
      return { from: key, to: keyAfter(key) }
    case '<':
      return { from: allKeys.from, to: key }
    case '<=':
      return { from: allKeys.from, to: keyAfter(key) }
    case '>':
      return { from: keyAfter(key), to: null }
    case '>=':
      return { from: key, to: null }
    case '<>':
      return allKeys
  }
}

/** The smallest range that contains both. */
function hull(a: KeyRange, b: KeyRange): KeyRange {
  const from = Buffer.compare(a.from, b.from) <= 0 ? a.from : b.from
  if (a.to === null || b.to === null) return { from, to: null }
  return { from, to: Buffer.compare(a.to, b.to) >= 0 ? a.to : b.to }
}

function keyOf(type: FieldType, value: ItemConstant): Uint8Array {
  if (type === 'string') return keyOfString(String(value))
  return type === 'double' ? keyOfDouble(Number(value)) : keyOfLong(BigInt(value))
}
