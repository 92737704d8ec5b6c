// Merges lines over time onto the single time axis of a chart.

export interface Line {
  readonly name: string
  /** The index of its value axis. Default: 0. */
  readonly axis?: number
  /** Its colour index. Default: its index among the lines. */
  readonly color?: number
  /** `step` extends each value to the next one; `edge` (of a band) and `painted` draw no line. */
  readonly drawn?: 'line' | 'step' | 'edge' | 'painted'
  readonly dashed?: boolean
  readonly hidden?: boolean
}

/** Values by second. */
export type Points = ReadonlyMap<number, number>

/** Seconds since 1970, followed by the values of each line: null is a gap, undefined is skipped. */
export type LineData = [number[], ...(number | null | undefined)[][]]

/** The quantile of the distances between a line's points that counts as usual. */
const usualShare = 0.9

export interface Gap {
  readonly from: number
  readonly to: number
}

/** The gaps between points that are more than `longest` seconds apart. */
export function gapsOver(seconds: readonly number[], longest: number): Gap[] {
  return seconds
    .slice(1)
    .map((to, place) => ({ from: seconds[place]!, to }))
    .filter(({ from, to }) => to - from > longest)
}

/**
 * The gaps of a line, judged by its own points only: distances longer than `factor` times its usual distance, and longer than `least`. With buckets, the
 * factor 1.5 finds a single missing bucket.
 */
export function usualGaps(seconds: readonly number[], factor = 1.5, least = 0): Gap[] {
  const distances = seconds.slice(1).map((second, place) => second - seconds[place]!)
  // With few points, the longest distance never counts as usual.
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(usualShare * (distances.length - 1))] ?? 0
  return gapsOver(seconds, Math.max(factor * usual, least))
}

export const secondsOf = (points: Points): number[] => [...points.keys()].sort((a, b) => a - b)

/** Puts each line, with its own gaps, on the times of all lines. */
export function lineData(
  lines: readonly Points[],
  gaps: readonly (readonly Gap[])[] = lines.map((points) => usualGaps(secondsOf(points))),
): LineData {
  // A gap in which no other line has a point needs a time of its own.
  const within = gaps.flat().map(({ from, to }) => (from + to) / 2)
  const times = [...new Set([...lines.flatMap((points) => [...points.keys()]), ...within])].sort((a, b) => a - b)
  const placeOf = new Map(times.map((second, place) => [second, place]))
  const values = lines.map((points, line) => {
    const drawn = times.map((second): number | null | undefined => points.get(second))
    for (const { from, to } of gaps[line]!) drawn.fill(null, placeOf.get(from)! + 1, placeOf.get(to))
    return drawn
  })
  return [times, ...values]
}

/** The indexes of points between gaps, which no line connects. */
export function lonePlaces(values: readonly (number | null | undefined)[]): number[] {
  const known = values.flatMap((value, place) => (value === undefined ? [] : [place]))
  const isGap = (place: number | undefined): boolean => place === undefined || values[place] === null
  return known.filter((place, at) => values[place] !== null && isGap(known[at - 1]) && isGap(known[at + 1]))
}

/** The value of a line at an index: if it has no point there, its last point before. Null in a gap, before its first and after its last point. */
export function valueAt(values: readonly (number | null | undefined)[], place: number): number | null {
  let [before, next] = [place, place]
  while (before > 0 && values[before] === undefined) before -= 1
  while (next < values.length && values[next] === undefined) next += 1
  return next < values.length ? (values[before] ?? null) : null
}

/** A value of a response as a point of a line; null if it is not numeric. */
export function pointOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
}
