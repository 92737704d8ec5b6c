// Draws the same tags at an earlier time over the current lines.
import { earlierMs } from '../../../../src/model/when.ts'
import type { LineData } from '../../parts/line-data.ts'
import type { Span } from '../../parts/span.ts'
import { instantAt, localMsOf } from '../../parts/zoned-time.ts'
import type { Lines } from './lines.ts'

export const shifts: readonly { readonly value: string; readonly text: string }[] = [
  { value: '', text: 'nothing' },
  { value: 'PT1H', text: 'an hour before' },
  { value: 'P1D', text: 'a day before' },
  { value: 'P7D', text: 'a week before' },
  { value: 'P28D', text: 'four weeks before' },
  { value: 'P1Y', text: 'a year before' },
]

export const shiftText = (shift: string): string =>
  shifts.find(({ value }) => value === shift)?.text ?? `${shift} before`

/** The range earlier by `shift` on the zone's calendar: a day before is the same hour, even across a clock change. Null if `shift` is not a duration. */
export function shifted({ fromMs, toMs }: Span, shift: string, zone: string): Span | null {
  const localMs = earlierMs(localMsOf(fromMs, zone), shift)
  if (localMs === null) return null
  const startMs = instantAt(localMs, zone)
  return { fromMs: startMs, toMs: startMs + (toMs - fromMs) }
}

/** Lines followed by those of an earlier time, which are shifted later by `bySeconds` and dashed. */
export function withEarlier(lines: Lines, earlier: Lines, bySeconds: number, note: string): Lines {
  const count = lines.names.length
  const named = (name: string): string => `${name} (${note})`
  const own = { main: lines.lines.slice(0, count), rest: lines.lines.slice(count) }
  const before = earlier.lines.map((line) => ({
    ...line,
    name: named(line.name),
    color: line.color + count,
    dashed: line.drawn !== 'edge',
  }))
  const earlierCount = earlier.names.length
  // One line of each name first, then their dashed ends and band edges.
  const placeOf = (place: number): number => (place < count ? place : place + earlierCount)
  const earlierPlaceOf = (place: number): number => (place < earlierCount ? count + place : lines.lines.length + place)
  return {
    names: [...lines.names, ...earlier.names.map(named)],
    tags: [...lines.tags, ...earlier.tags],
    metrics: [...lines.metrics, ...earlier.metrics],
    lines: [...own.main, ...before.slice(0, earlierCount), ...own.rest, ...before.slice(earlierCount)],
    data: joinedData(lines, earlier, bySeconds),
    bands: [
      ...lines.bands.map(({ low, high }) => ({ low: placeOf(low), high: placeOf(high) })),
      ...earlier.bands.map(({ low, high }) => ({ low: earlierPlaceOf(low), high: earlierPlaceOf(high) })),
    ],
    left: lines.left + earlier.left,
  }
}

function joinedData(lines: Lines, earlier: Lines, bySeconds: number): LineData {
  const [own, ...ownColumns] = lines.data
  const [before, ...beforeColumns] = earlier.data
  const moved = before.map((second) => second + bySeconds)
  const seconds = [...new Set([...own, ...moved])].sort((a, b) => a - b)
  const placeOf = new Map(seconds.map((second, place) => [second, place]))
  const spread = (times: readonly number[], column: readonly (number | null | undefined)[]) => {
    const values = new Array<number | null | undefined>(seconds.length).fill(undefined)
    for (const [at, second] of times.entries()) values[placeOf.get(second)!] = column[at]
    return values
  }
  const ownSpread = ownColumns.map((column) => spread(own, column))
  const beforeSpread = beforeColumns.map((column) => spread(moved, column))
  const [count, earlierCount] = [lines.names.length, earlier.names.length]
  return [
    seconds,
    ...ownSpread.slice(0, count),
    ...beforeSpread.slice(0, earlierCount),
    ...ownSpread.slice(count),
    ...beforeSpread.slice(earlierCount),
  ]
}
