// Values of a line: under the pointer, at a cursor, newest, least and greatest.
import { valueAt } from '../../parts/line-data.ts'
import type { Lines } from './lines.ts'

type Values = readonly (number | null | undefined)[]

/** A data index, or the newest value within a range. */
export type At = number | { readonly fromSecond: number; readonly untilSecond: number }

export function valueIn({ data }: Lines, column: number, at: At): number | null {
  const values: Values = data[column + 1] ?? []
  if (typeof at === 'number') return valueAt(values, at)
  const { fromSecond, untilSecond } = at
  const isInRange = (second: number, place: number): boolean =>
    second >= fromSecond && second <= untilSecond && typeof values[place] === 'number'
  return values[data[0].findLastIndex(isInRange)] ?? null
}

const columnsOf = (lines: Lines, color: number): number[] =>
  lines.lines.flatMap((line, place) => (line.color === color && line.drawn !== 'edge' ? [place] : []))

/** The result for the last column of a line and its dashed ends that has one: the last dashes end after the line. */
function lastOf<T>(lines: Lines, color: number, of: (column: number) => T | null): T | null {
  for (const column of columnsOf(lines, color).reverse()) {
    const found = of(column)
    if (found !== null) return found
  }
  return null
}

/** The value of a line or its dashed ends. */
export const shownOf = (lines: Lines, color: number, at: At): number | null =>
  lastOf(lines, color, (column) => valueIn(lines, column, at))

interface Item {
  readonly second: number
  readonly value: number
}

/** The drawn item nearest to an index within a line; for a step, the last one before it. Null in a gap, before the first and after the last item. */
function itemIn({ lines, data: [seconds, ...columns] }: Lines, column: number, place: number): Item | null {
  const values: Values = columns[column] ?? []
  if (valueAt(values, place) === null) return null
  const isItem = (value: number | null | undefined): boolean => typeof value === 'number'
  const before = values.findLastIndex((value, at) => at <= place && isItem(value))
  const after = values.findIndex((value, at) => at >= place && isItem(value))
  const isAfter =
    lines[column]!.drawn !== 'step' && seconds[after]! - seconds[place]! < seconds[place]! - seconds[before]!
  const nearest = isAfter ? after : before
  return { second: seconds[nearest]!, value: values[nearest]! }
}

/** The item of a line at a cursor, with its own time: thinned lines have items at different times. */
export const itemAt = (lines: Lines, color: number, place: number): Item | null =>
  lastOf(lines, color, (column) => itemIn(lines, column, place))

/** Lines contain doubles, which lack the last digits of larger longs. */
export const isRounded = (value: number, isLong: boolean): boolean =>
  isLong && Math.abs(value) > Number.MAX_SAFE_INTEGER

/** Null if the result would not be exact. */
export function difference(a: Item | null, b: Item | null, isLong: boolean): number | null {
  if (a === null || b === null || [a, b].some(({ value }) => isRounded(value, isLong))) return null
  return b.value - a.value
}

/** The least and greatest drawn value of a line, or of its band, in a range of seconds. */
export function extremes(lines: Lines, color: number, from: number, until: number): readonly [number, number] | null {
  const band = lines.bands.find(({ low }) => lines.lines[low]?.color === color)
  const columns = band === undefined ? columnsOf(lines, color) : [band.low, band.high]
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const column of columns) {
    for (const [place, value] of (lines.data[column + 1] ?? []).entries()) {
      const second = lines.data[0][place]!
      if (typeof value !== 'number' || second < from || second > until) continue
      least = Math.min(least, value)
      greatest = Math.max(greatest, value)
    }
  }
  return least > greatest ? null : [least, greatest]
}
