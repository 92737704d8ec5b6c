// Lines over time on the one axis of time that a chart has for all of them.

export interface Line {
  readonly name: string
  /** The place of its axis of values; by default the first. */
  readonly axis?: number
  /** Its place among the colours; by default its place among the lines. */
  readonly color?: number
  /** `step` holds its value until the next one; an `edge` of a band and what is `painted` draw no line. */
  readonly drawn?: 'line' | 'step' | 'edge' | 'painted'
  readonly dashed?: boolean
  readonly hidden?: boolean
}

/** A value for each second at which a line has one. */
export type Points = ReadonlyMap<number, number>

/** Seconds since 1970, then the values of each line: null is a gap, undefined is passed over. */
export type LineData = [number[], ...(number | null | undefined)[][]]

/** Nine of ten distances between a line's points are no longer than this. */
const usualShare = 0.9

export interface Gap {
  readonly from: number
  readonly to: number
}

/** Where a line is silent for so many seconds or more. */
export function gapsOver(seconds: readonly number[], longest: number): Gap[] {
  return seconds
    .slice(1)
    .map((to, place) => ({ from: seconds[place]!, to }))
    .filter(({ from, to }) => to - from > longest)
}

/**
 * Where a line is silent for longer than is usual for itself, what other lines have does not count: `factor` times its usual distance, and longer than
 * `least`. One bucket that is missing among buckets is 1.5 times.
 */
export function usualGaps(seconds: readonly number[], factor = 1.5, least = 0): Gap[] {
  const distances = seconds.slice(1).map((second, place) => second - seconds[place]!)
  // Of a few, the longest is never the usual one.
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(usualShare * (distances.length - 1))] ?? 0
  return gapsOver(seconds, Math.max(factor * usual, least))
}

export const secondsOf = (points: Points): number[] => [...points.keys()].sort((a, b) => a - b)

/** Each line with its own gaps, at the times of all. */
export function lineData(
  lines: readonly Points[],
  gaps: readonly (readonly Gap[])[] = lines.map((points) => usualGaps(secondsOf(points))),
): LineData {
  // A gap in which no other line has a point has a time of its own.
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

/** The places of points between gaps: no line leads to them. */
export function lonePlaces(values: readonly (number | null | undefined)[]): number[] {
  const known = values.flatMap((value, place) => (value === undefined ? [] : [place]))
  const isGap = (place: number | undefined): boolean => place === undefined || values[place] === null
  return known.filter((place, at) => values[place] !== null && isGap(known[at - 1]) && isGap(known[at + 1]))
}

/** What a line shows at a place: where it only leads on there, its last point before. Null in a gap, before its first and after its last point. */
export function valueAt(values: readonly (number | null | undefined)[], place: number): number | null {
  let [before, next] = [place, place]
  while (before > 0 && values[before] === undefined) before -= 1
  while (next < values.length && values[next] === undefined) next += 1
  return next < values.length ? (values[before] ?? null) : null
}

/** A value of an answer as a point of a line; null where it is none. */
export function pointOf(value: unknown): number | null {
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : null
}
