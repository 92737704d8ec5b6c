// Two cursors on a chart at the times of items, and the distance between them.
import type { LineData } from '../../parts/line-data.ts'

/** Cursor times in seconds since 1970. */
export interface Cursors {
  readonly a: number
  readonly b: number
  /** The cursor that the next click sets. */
  readonly next: 'a' | 'b'
}

/** The times in a range at which a line has a value. */
export function valueSeconds([seconds, ...columns]: LineData, from: number, until: number): number[] {
  return seconds.filter(
    (second, place) => second >= from && second <= until && columns.some((values) => typeof values[place] === 'number'),
  )
}

/** The index of the nearest second; -1 if there are none. */
export function nearestPlace(seconds: readonly number[], second: number): number {
  const after = seconds.findIndex((one) => one >= second)
  if (after <= 0) return after === 0 ? 0 : seconds.length - 1
  return seconds[after]! - second < second - seconds[after - 1]! ? after : after - 1
}

/** Cursors at one third and two thirds of the drawn items; null if there are none. */
export function firstCursors(seconds: readonly number[]): Cursors | null {
  const at = (share: number): number | undefined => seconds[Math.floor(share * seconds.length)]
  const [a, b] = [at(1 / 3), at(2 / 3)]
  return a === undefined || b === undefined ? null : { a, b, next: 'a' }
}

/** Moves the cursors to the nearest of these times. */
export function moved({ a, b, next }: Cursors, seconds: readonly number[]): Cursors | null {
  const at = (second: number): number | undefined => seconds[nearestPlace(seconds, second)]
  const [newA, newB] = [at(a), at(b)]
  return newA === undefined || newB === undefined ? null : { a: newA, b: newB, next }
}

/** Clicks set the cursors alternately. */
export const picked = ({ a, b, next }: Cursors, second: number): Cursors =>
  next === 'a' ? { a: second, b, next: 'b' } : { a, b: second, next: 'a' }

const unitsMs = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** The whole distance, to the millisecond: `−1 d 2 h 3.5 s`. */
export function betweenText(seconds: number): string {
  let leftMs = Math.round(Math.abs(seconds) * 1000)
  const parts: string[] = []
  for (const [unit, ms] of unitsMs) {
    if (leftMs >= ms) parts.push(`${Math.floor(leftMs / ms)} ${unit}`)
    leftMs %= ms
  }
  if (leftMs > 0 || parts.length === 0) parts.push(`${leftMs / 1000} s`)
  return `${seconds < 0 ? '−' : ''}${parts.join(' ')}`
}
