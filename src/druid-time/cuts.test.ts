import { expect, test } from 'vitest'
import { parseGranularity } from '../model/granularity.ts'
import { cutsOf } from './cuts.ts'
import { timeBuckets } from './plain-granularity.ts'

const at = (text: string): number => Date.parse(`${text}Z`)

test('of a granularity in UTC', () => {
  const cuts = cutsOf(parseGranularity('month')!, null)
  expect([cuts.startOf(at('2026-02-10T00:00')), cuts.nextOf(at('2026-02-01T00:00'))]).toEqual([
    at('2026-02-01T00:00'),
    at('2026-03-01T00:00'),
  ])
})

test('of all there is one bucket', () => {
  const cuts = cutsOf({ kind: 'all' }, null, 5)
  expect([cuts.startOf(9), cuts.nextOf(5)]).toEqual([5, Number.POSITIVE_INFINITY])
})

test('where clocks are set back over midnight, the day that is shown again does not begin again', () => {
  // In Saint John's a minute after midnight it was a minute past eleven again.
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

test('a day whose midnight clocks step over from before it begins with that step', () => {
  // In Toronto half past eleven in the evening was followed by half past midnight.
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
