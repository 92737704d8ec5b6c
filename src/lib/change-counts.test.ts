import { describe, expect, test } from 'vitest'
import { ChangeCounts, type Span } from './change-counts.ts'

const dayMs = 86_400_000
const nowMs = 20_000 * dayMs + 5
const everUntil = (toMs: number): Span => ({ fromMs: Number.NEGATIVE_INFINITY, toMs })
const everFrom = (fromMs: number): Span => ({ fromMs, toMs: Number.POSITIVE_INFINITY })
const ever = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const daysAgo = (days: number): Span => ({ fromMs: nowMs - days * dayMs, toMs: nowMs - days * dayMs })

/** Whether the state of thing 1 over this span is another one after the change. */
function isSeen(span: Span, change: (counts: ChangeCounts) => void): boolean {
  const counts = ChangeCounts.fresh(nowMs)
  counts.changed(1, Float64Array.of(nowMs), 1)
  const before = counts.state(1, span)
  change(counts)
  return counts.state(1, span) !== before
}

const changeAt =
  (...timesMs: number[]) =>
  (counts: ChangeCounts): void =>
    counts.changed(1, Float64Array.from(timesMs), timesMs.length)

describe('a change is seen', () => {
  test.each<[string, Span, boolean, number[]]>([
    ['on its day', daysAgo(0), true, [nowMs]],
    ['not on the next', daysAgo(0), false, [nowMs - dayMs]],
    ['nor on the one before', daysAgo(1), false, [nowMs]],
    ['by each of its dates', daysAgo(1), true, [nowMs, nowMs - 7 * dayMs, nowMs - dayMs]],
    ['inside a span', { fromMs: nowMs - 3 * dayMs, toMs: nowMs }, true, [nowMs - 2 * dayMs]],
    ['at the last moment of a span of days', { fromMs: nowMs - 5, toMs: nowMs - 6 + dayMs }, true, [nowMs - 6 + dayMs]],
    ['before a date', everUntil(nowMs), true, [nowMs - 100 * dayMs]],
    ['before a date, but not after it', everUntil(nowMs - dayMs), false, [nowMs]],
    ['after a date', everFrom(nowMs), true, [nowMs + 100 * dayMs]],
    ['after a date, but not before it', everFrom(nowMs), false, [nowMs - dayMs]],
    ['of all time', ever, true, [nowMs - 9000 * dayMs]],
    ['with all that is as old', daysAgo(9000), true, [nowMs - 8000 * dayMs]],
    ['with all that is as far ahead', daysAgo(-9000), true, [8.64e15]],
    ['in the year 1', daysAgo(300), true, [-62_135_596_800_000]],
    ['unless there is none', ever, false, []],
  ])('%s', (_, span, expected, timesMs) => {
    expect(isSeen(span, changeAt(...timesMs))).toBe(expected)
  })

  test.each([ever, daysAgo(0), daysAgo(9000), everUntil(0), everFrom(0)])('of all dates, by %o', (span) => {
    expect(isSeen(span, (counts) => counts.allChanged(1))).toBe(true)
    expect(isSeen(span, (counts) => counts.everythingChanged())).toBe(true)
    expect(isSeen(span, (counts) => counts.allChanged(2))).toBe(false)
    expect(isSeen(span, (counts) => counts.allChanged(257))).toBe(true)
  })
})

test('only so many of the dates are looked at', () => {
  expect(isSeen(daysAgo(1), (counts) => counts.changed(1, Float64Array.of(nowMs, nowMs - dayMs), 1))).toBe(false)
})

test('it is the same memory in another thread', () => {
  const own = ChangeCounts.fresh(nowMs)
  const other = new ChangeCounts(structuredClone(own.shared))
  const before = own.state(7, daysAgo(0))
  other.changed(7, Float64Array.of(nowMs), 1)
  expect(own.state(7, daysAgo(0))).not.toBe(before)
})

test('who follows with counts of his own is at the same state once he has counted the same', () => {
  const own = ChangeCounts.fresh(nowMs)
  own.changed(1, Float64Array.of(nowMs), 1)
  const follower = ChangeCounts.ofOneLike(own.shared)
  follower.continueFrom(1, own.countsOf(1))
  for (const span of [ever, daysAgo(0), everFrom(nowMs)]) expect(follower.state(1, span)).toBe(own.state(1, span))
  own.changed(1, Float64Array.of(nowMs - dayMs), 1)
  expect(follower.state(1, daysAgo(1))).not.toBe(own.state(1, daysAgo(1)))
  expect(follower.state(1, daysAgo(0))).toBe(own.state(1, daysAgo(0)))
  follower.changed(1, Float64Array.of(nowMs - dayMs), 1)
  expect(follower.state(1, ever)).toBe(own.state(1, ever))
})
