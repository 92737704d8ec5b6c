import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseGranularity } from '../model/granularity.ts'
import { cutsOf } from './cuts.ts'
import { parsePeriod } from './iso.ts'
import { periodGranularity } from './native-granularity.ts'
import { timeBuckets, ZonedBuckets } from './plain-granularity.ts'
import { Zone } from './zone.ts'

const at = (text: string): number => Date.parse(`${text}Z`)

test('a month in UTC extends from its first day to the next month', () => {
  const cuts = cutsOf(parseGranularity('month')!, null)
  expect([cuts.startOf(at('2026-02-10T00:00')), cuts.nextOf(at('2026-02-01T00:00'))]).toEqual([
    at('2026-02-01T00:00'),
    at('2026-03-01T00:00'),
  ])
})

test('the granularity all has one bucket', () => {
  const cuts = cutsOf({ kind: 'all' }, null, 5)
  expect([cuts.startOf(9), cuts.nextOf(5)]).toEqual([5, Number.POSITIVE_INFINITY])
})

test('when clocks go back over midnight, the repeated day does not start again', () => {
  // In St. John's, clocks were set back from 00:01 to 23:01.
  const granularity = {
    kind: 'zoned',
    zone: 'America/St_Johns',
    buckets: { kind: 'days', days: 1, originLocalMs: 0 },
  } as const
  const cuts = cutsOf(granularity, timeBuckets(granularity))
  const starts: string[] = []
  for (let ms = cuts.startOf(at('2006-10-28T12:00')); starts.length < 4; ms = cuts.nextOf(ms)) {
    starts.push(new Date(ms).toISOString().slice(0, 16))
  }
  expect(starts).toEqual(['2006-10-28T02:30', '2006-10-29T02:30', '2006-10-29T03:30', '2006-10-30T03:30'])
  expect(cuts.startOf(at('2006-10-29T03:00'))).toBe(at('2006-10-29T02:30'))
})

test('a day whose midnight is skipped by a clock change starts at that change', () => {
  // In Toronto, clocks were set forward from 23:30 to 00:30.
  const granularity = {
    kind: 'zoned',
    zone: 'America/Toronto',
    buckets: { kind: 'days', days: 1, originLocalMs: 0 },
  } as const
  const cuts = cutsOf(granularity, timeBuckets(granularity))
  for (const time of ['04:30', '04:59', '05:00', '12:00'])
    expect(cuts.startOf(at(`1919-03-31T${time}`))).toBe(at('1919-03-31T04:30'))
  expect(cuts.nextOf(at('1919-03-31T04:30'))).toBe(at('1919-04-01T04:00'))
})

test('equalBuckets counts consecutive buckets as long as the first', () => {
  const zones = ['Pacific/Apia', 'Australia/Lord_Howe', 'America/St_Johns', 'America/Sao_Paulo', 'Asia/Kathmandu']
  const periods = ['P1D', 'P2D', 'P1W', 'PT30M', 'PT1H', 'PT6H', 'P1M', 'P1DT1H']
  const instant = fc.integer({ min: at('1890-01-01T00:00'), max: at('2040-01-01T00:00') })
  const hours = fc.integer({ min: 0, max: 10_000 })
  const cases = fc.tuple(fc.constantFrom(...zones), fc.constantFrom(...periods), instant, hours)
  const found = { many: 0 }
  fc.assert(
    fc.property(cases, ([zone, period, ms, length]) => {
      const buckets = new ZonedBuckets(periodGranularity(parsePeriod(period)!, Zone.find(zone)!, null)!)
      const startMs = buckets.startOf(ms)
      const untilMs = startMs + length * 3_600_000
      const widthMs = buckets.endOf(startMs) - startMs
      const count = buckets.equalBuckets(startMs, untilMs)
      if (count > 1) found.many++
      expect(count === 1 || startMs + count * widthMs <= untilMs).toBe(true)
      const unlike: number[] = []
      for (let from = startMs; from < startMs + count * widthMs; from += widthMs) {
        const isOne = buckets.startOf(from) === from && buckets.endOf(from) === from + widthMs
        if (!isOne || buckets.startOf(from + widthMs - 1) !== from) unlike.push(from)
      }
      expect(unlike).toEqual([])
    }),
    { numRuns: 200, examples: [[['America/Sao_Paulo', 'P1D', at('1933-03-31T01:59'), 48]]] },
  )
  expect(found.many).toBeGreaterThan(20)
})
