// The order of rows and groups by value.
import { compareCodePoints } from './compare-code-points.ts'

type OrderedValue = string | number | bigint | null

export interface ValueOrder {
  readonly isDescending: boolean
  readonly nulls: 'first' | 'last'
}

/** Orders strings by code point, numbers by size. */
export function compareValues(left: OrderedValue, right: OrderedValue, { isDescending, nulls }: ValueOrder): number {
  if (left === right) return 0
  if (left === null || right === null) return (left === null) === (nulls === 'first') ? -1 : 1
  const order =
    typeof left === 'string' && typeof right === 'string'
      ? compareCodePoints(left, right)
      : left < right
        ? -1
        : left > right
          ? 1
          : 0
  return isDescending ? -order : order
}

/** Compares two groups, given by index, by the values that they are ordered by. */
export function comparingGroups(
  keys: readonly (readonly OrderedValue[])[],
  order: readonly ValueOrder[],
): (left: number, right: number) => number {
  return (left, right) => {
    for (let place = 0; place < order.length; place++) {
      const compared = compareValues(keys[left]![place]!, keys[right]![place]!, order[place]!)
      if (compared !== 0) return compared
    }
    return 0
  }
}

/** Compares longs exactly; if one is a double, both are compared as doubles. */
export function compareNumbers(left: number | bigint, right: number | bigint): number {
  const areWhole = typeof left === 'bigint' && (typeof right === 'bigint' || Number.isSafeInteger(right))
  const [a, b] = areWhole ? [left, BigInt(right)] : [Number(left), Number(right)]
  return a < b ? -1 : a > b ? 1 : 0
}
