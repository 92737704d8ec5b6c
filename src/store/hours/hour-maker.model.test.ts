// Compares the hours made of rows with the definition of each part, computed separately from all values of the hour.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Draw, drawFrom, oneOf } from '../../../test/support/random-rows.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { HourMaker } from './hour-maker.ts'
import {
  type HourMetric,
  type HourOfMetric,
  type HourPart,
  type HourRow,
  hourParts,
  hoursTogether,
} from './hour-row.ts'
import { hourMs } from './whole-hours.ts'

interface Row {
  readonly ms: number
  readonly position: number
  readonly isGood: boolean
  /** By metric. A bigint is a long beyond 2^53. */
  readonly values: readonly (number | bigint | null)[]
}

const metrics: readonly HourMetric[] = [
  { name: 'V', type: 'double' },
  { name: 'N', type: 'long' },
]
// Sums and products of these are exact as doubles.
const doubles = [0, -3, 0.25, 7.5, -1.75, 1000] as const
const longs = [0, 5, -2, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)] as const
const startMs = -2 * hourMs

function randomRows(draw: Draw): Row[] {
  const [isBadOf, longsOf] = [oneOf(draw, [0, 4]), oneOf(draw, [3, 6])]
  const rows = Array.from({ length: draw(30) }, (_, position) => ({
    ms: startMs + draw(4) * hourMs + oneOf(draw, [0, 1, 20, 21, 1000, hourMs - 1]),
    position,
    isGood: isBadOf === 0 || draw(isBadOf) > 0,
    values: [draw(4) === 0 ? null : oneOf(draw, doubles), draw(4) === 0 ? null : oneOf(draw, longs.slice(0, longsOf))],
  }))
  return inOrder(rows)
}

const inOrder = (rows: readonly Row[]): Row[] =>
  rows.toSorted((left, right) => left.ms - right.ms || left.position - right.position)

function* made(rows: readonly Row[]): Generator<HourRow> {
  const maker = new HourMaker(metrics)
  for (const { ms, position, isGood, values } of rows) {
    const over = maker.enter(ms)
    if (over !== null) yield over
    maker.count(position)
    for (const [place, value] of values.entries())
      if (value !== null) maker.metric(place).add(ms, Number(value), typeof value === 'bigint' ? value : null, isGood)
  }
  const last = maker.finish()
  if (last !== null) yield last
}

interface Point {
  readonly ms: number
  readonly value: number | bigint
  readonly isGood: boolean
}
type Parts = Partial<Record<HourPart, number | bigint>>

function pointsOf(rows: readonly Row[], metric: number): Point[] {
  return rows.flatMap(({ ms, isGood, values }) => {
    const value = values[metric] ?? null
    return value === null ? [] : [{ ms, value, isGood }]
  })
}

/** The last point of each date. */
const newest = (points: readonly Point[]): Point[] =>
  points.filter(({ ms }, at) => !points.slice(at + 1).some((later) => later.ms === ms))

function partsOf(points: readonly Point[], isLong: boolean): Parts {
  const good = points.filter(({ isGood }) => isGood)
  const items = newest(good)
  const parts: Parts = { ...sums(points, ''), ...bounds(points, '') }
  if (isLong)
    parts.total = BigInt.asIntN(
      64,
      points.reduce((sum, { value }) => sum + BigInt(value), 0n),
    )
  if (good.length !== points.length) Object.assign(parts, sums(good, 'good_'))
  if (items.length !== points.length) Object.assign(parts, sums(items, 'item_'), bounds(items, 'item_'))
  const ends = newest(points).flatMap(({ ms, isGood }) => (isGood ? [] : [ms]))
  return Object.assign(parts, items.length === 0 ? { ended_ms: ends[0] } : orderOf(items, ends))
}

function sums(points: readonly Point[], set: '' | 'good_' | 'item_'): Parts {
  const quarters = points.reduce((sum, { value }) => sum + BigInt(Number(value) * 4), 0n)
  // An hour stores the rounding error of additions separately; the two together equal this sum.
  return { [`${set}count`]: points.length, [`${set}sum`]: Number(quarters) / 4 }
}

function bounds(points: readonly Point[], set: '' | 'item_'): Parts {
  const values = points.map(({ value }) => value).toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0))
  return { [`${set}least`]: values[0], [`${set}greatest`]: values.at(-1) }
}

function orderOf(items: readonly Point[], ends: readonly number[]): Parts {
  const [first, last] = [items[0]!, items.at(-1)!]
  const msOf = (value: number | bigint | undefined): number | undefined => items.find((one) => one.value === value)?.ms
  const { item_least: least, item_greatest: greatest } = bounds(items, 'item_')
  const parts: Parts = { first: first.value, first_ms: first.ms, last: last.value, last_ms: last.ms }
  Object.assign(parts, { least_ms: msOf(least), greatest_ms: msOf(greatest) })
  if (items.some(({ value }) => typeof value === 'bigint')) return parts
  const spans = items.slice(1).map((to, at) => {
    const from = items[at]!
    const endedMs = ends.find((ms) => ms >= from.ms && ms < to.ms)
    const knownMs = (endedMs ?? to.ms) - from.ms
    const [start, end] = [Number(from.value), Number(to.value)]
    return { gapMs: to.ms - from.ms, knownMs, start, end, lineEnd: endedMs === undefined ? end : start }
  })
  const sum = (of: (span: (typeof spans)[number]) => number): number => spans.reduce((all, span) => all + of(span), 0)
  const knownMs = sum((span) => span.knownMs)
  const falls = spans.filter(({ start, end }) => end < start)
  const ofFalls = falls.map(({ start, end }) => start - end)
  Object.assign(parts, {
    gap_ms: Math.max(0, ...spans.map(({ gapMs }) => gapMs)),
    held: sum((span) => span.start * span.knownMs),
    line: sum((span) => ((span.start + span.lineEnd) / 2) * span.knownMs),
    ...(knownMs === last.ms - first.ms ? {} : { known_ms: knownMs }),
    ended_ms: ends.find((ms) => ms < first.ms),
    end_ms: ends.find((ms) => ms >= last.ms),
  })
  if (falls.length === 0) return parts
  const restarted = falls.reduce((all, { end }) => all + Math.max(0, end), 0)
  const fallen = ofFalls.reduce((all, drop) => all + drop, 0)
  return Object.assign(parts, { falls: falls.length, fallen, restarted, deepest: Math.max(...ofFalls) })
}

/** The known parts. Sums include their rounding errors. */
function told(hour: HourOfMetric): Parts {
  const parts: Parts = {}
  for (const part of hourParts) {
    const value = hour.digits(part) ?? hour.get(part)
    if (part.endsWith('lost') || Number.isNaN(value)) continue
    const lost = part.endsWith('sum') ? hour.get(part.replace('sum', 'lost') as HourPart) : 0
    parts[part] = typeof value === 'bigint' ? value : value + lost
  }
  return parts
}

/** The known parts as text, with all digits of longs. */
const shown = (parts: Parts): Record<string, string> =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([part, value]) =>
      value === undefined ? [] : [[part, `${value === 0 ? 0 : value}`]],
    ),
  )

const shownHours = (hours: Iterable<HourRow>): unknown[] =>
  Array.from(hours, (hour) => ({ ...hour, metrics: hour.metrics.map((metric) => metric && shown(told(metric))) }))

function expected(rows: readonly Row[]): unknown[] {
  const starts = [...new Set(rows.map(({ ms }) => Math.floor(ms / hourMs) * hourMs))]
  return starts.map((start) => {
    const own = rows.filter(({ ms }) => ms >= start && ms < start + hourMs)
    return {
      hourMs: start,
      position: Math.max(...own.map(({ position }) => position)),
      rows: own.length,
      metrics: metrics.map(({ type }, metric) => {
        const points = pointsOf(own, metric)
        return points.length === 0 ? null : shown(partsOf(points, type === 'long'))
      }),
    }
  })
}

test('an hour stores the parts that its rows define', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const rows = randomRows(drawFrom(seed))
      expect(shownHours(made(rows))).toEqual(expected(rows))
    }),
    { numRuns: rounds(5000) },
  )
})

/** The parts that are still known after an hour is joined from several. */
const sumsAndBounds = /^(good_|item_)?(count|sum)$|^least$|^greatest$|^total$/

test('late rows of an hour add to its sums and bounds, and its order becomes unknown', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const draw = drawFrom(seed)
      const rows = randomRows(draw)
      const isLate = rows.map(() => draw(3) === 0)
      const parts = [rows.filter((_, row) => !isLate[row]), rows.filter((_, row) => isLate[row])]
      // A date in both parts would count as two items.
      const dates = parts.map((part) => new Set(part.map(({ ms }) => ms)))
      fc.pre(![...dates[0]!].some((ms) => dates[1]!.has(ms)))
      const hours = Array.from(hoursTogether(parts.map(made)))
      expect(hours.map(({ hourMs: start, rows: count, position }) => [start, count, position])).toEqual(
        Array.from(made(rows), ({ hourMs: start, rows: count, position }) => [start, count, position]),
      )
      for (const [at, whole] of [...made(rows)].entries()) {
        for (const [metric, own] of whole.metrics.entries()) {
          const joined = hours[at]!.metrics[metric] ?? null
          const isOfBoth = parts.every(
            (part) =>
              pointsOf(
                part.filter(({ ms }) => ms >= whole.hourMs && ms < whole.hourMs + hourMs),
                metric,
              ).length > 0,
          )
          if (own === null || joined === null || !isOfBoth) {
            expect(joined && shown(told(joined))).toEqual(own && shown(told(own)))
            continue
          }
          expect(joined.isOrdered).toBe(false)
          for (const part of hourParts.filter((one) => sumsAndBounds.test(one)))
            expect([part, `${told(joined)[part]}`]).toEqual([part, `${told(own)[part]}`])
        }
      }
    }),
    { numRuns: rounds(2000) },
  )
})
