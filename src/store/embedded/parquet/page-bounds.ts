// The smallest and greatest values of pages and chunks, which let an engine skip data that it does not need.

import { compareCodePoints } from '../../../lib/compare-code-points.ts'
import type { ColumnType } from '../../../model/column.ts'

/** One element per page; NaN where a page has no value. */
export interface PageBounds {
  readonly least: Float64Array
  readonly greatest: Float64Array
}

/** The bounds of a whole chunk, encoded as Parquet values of its type. */
export interface ChunkBounds {
  readonly least: Uint8Array
  readonly greatest: Uint8Array
}

export function pageBounds(values: Float64Array | Int32Array, ends: Int32Array): PageBounds {
  const least = new Float64Array(ends.length).fill(Number.NaN)
  const greatest = new Float64Array(ends.length).fill(Number.NaN)
  for (let page = 0, row = 0; page < ends.length; page++) {
    if (row === ends[page]) continue
    let low = values[row]
    let high = low
    for (; row < ends[page]; row++) {
      const value = values[row]
      if (value < low) low = value
      else if (value > high) high = value
    }
    least[page] = low
    greatest[page] = high
  }
  return { least, greatest }
}

/** Null when no page has a value. */
export function chunkBounds(type: ColumnType, pages: PageBounds): ChunkBounds | null {
  const least = pages.least.reduce((a, b) => (b < a || Number.isNaN(a) ? b : a), Number.NaN)
  const greatest = pages.greatest.reduce((a, b) => (b > a || Number.isNaN(a) ? b : a), Number.NaN)
  if (Number.isNaN(least)) return null
  return { least: boundBytes(type, least, -0), greatest: boundBytes(type, greatest, 0) }
}

/** `zero` is the sign of a double bound of zero: -0 for a lower bound, 0 for an upper one. */
export function boundBytes(type: ColumnType, value: number, zero: number): Uint8Array {
  if (type === 'boolean') return Uint8Array.of(value)
  const bytes = new Uint8Array(8)
  const view = new DataView(bytes.buffer)
  if (type === 'double') view.setFloat64(0, value === 0 ? zero : value, true)
  else view.setBigInt64(0, BigInt(value), true)
  return bytes
}

/** Longer bounds would cost more than they save. */
const stringBoundBytesMax = 64
/** Strings compared between two yields. */
const stepStrings = 1 << 14

/** Null when there is no string, or when a bound would be longer than `stringBoundBytesMax`. */
export function* stringBounds(entries: readonly string[]): Generator<void, ChunkBounds | null> {
  if (entries.length === 0) return null
  let least = entries[0]
  let greatest = entries[0]
  for (let start = 0; start < entries.length; start += stepStrings) {
    const slice = entries.slice(start, start + stepStrings)
    least = slice.reduce((a, b) => (compareCodePoints(b, a) < 0 ? b : a), least)
    greatest = slice.reduce((a, b) => (compareCodePoints(b, a) > 0 ? b : a), greatest)
    yield
  }
  const bounds = { least: Buffer.from(least), greatest: Buffer.from(greatest) }
  return Math.max(bounds.least.length, bounds.greatest.length) > stringBoundBytesMax ? null : bounds
}

/** The order of the bounds of successive pages: Parquet's BoundaryOrder, 0 unordered, 1 ascending, 2 descending. */
export function boundaryOrder({ least, greatest }: PageBounds): 0 | 1 | 2 {
  let rises = true
  let falls = true
  let previous = -1
  for (let page = 0; page < least.length; page++) {
    if (Number.isNaN(least[page])) continue
    if (previous >= 0) {
      rises &&= least[previous] <= least[page] && greatest[previous] <= greatest[page]
      falls &&= least[previous] >= least[page] && greatest[previous] >= greatest[page]
    }
    previous = page
  }
  if (rises) return 1
  return falls ? 2 : 0
}
