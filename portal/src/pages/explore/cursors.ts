// Two cursors on a chart, which stand at times of items, and what lies between them.
import type { LineData } from '../../parts/line-data.ts'

/** In seconds since 1970. */
export interface Cursors {
  readonly a: number
  readonly b: number
  /** Which one the next click sets. */
  readonly next: 'a' | 'b'
}

/** The times in a range at which a line has a value. */
export function valueSeconds([seconds, ...columns]: LineData, from: number, until: number): number[] {
  return seconds.filter(
    (second, place) => second >= from && second <= until && columns.some((values) => typeof values[place] === 'number'),
  )
}

/** The place of the second that is nearest to one; -1 where there is none. */
export function nearestPlace(seconds: readonly number[], second: number): number {
  const after = seconds.findIndex((one) => one >= second)
  if (after <= 0) return after === 0 ? 0 : seconds.length - 1
  return seconds[after]! - second < second - seconds[after - 1]! ? after : after - 1
}

/** At a third and two thirds of what is drawn; null where nothing is. */
export function firstCursors(seconds: readonly number[]): Cursors | null {
  const at = (share: number): number | undefined => seconds[Math.floor(share * seconds.length)]
  const [a, b] = [at(1 / 3), at(2 / 3)]
  return a === undefined || b === undefined ? null : { a, b, next: 'a' }
}

/** At the times of what is drawn now. */
export function moved({ a, b, next }: Cursors, seconds: readonly number[]): Cursors | null {
  const at = (second: number): number | undefined => seconds[nearestPlace(seconds, second)]
  const [newA, newB] = [at(a), at(b)]
  return newA === undefined || newB === undefined ? null : { a: newA, b: newB, next }
}

/** A click sets them by turns. */
export const picked = ({ a, b, next }: Cursors, second: number): Cursors =>
  next === 'a' ? { a: second, b, next: 'b' } : { a, b: second, next: 'a' }

const unitsMs = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

/** All of it, to the millisecond: `−1 d 2 h 3.5 s`. */
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
