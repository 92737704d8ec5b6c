import { expect, test } from 'vitest'
import { parsePeriod } from '../../druid-time/iso.ts'
import {
  type NativeBuckets,
  nativeBucketStart,
  nextBucket,
  periodGranularity,
} from '../../druid-time/native-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { filledBuckets } from './filled-buckets.ts'

/** A zone that throws when it is used: requests refused by arithmetic alone must not compute any bucket. */
const unasked = new Proxy(Zone.utc, {
  get: (_zone, name) => {
    throw new Error(`${String(name)} was asked for`)
  },
})
const period = parsePeriod('P1M1D')!
const all = [{ startMs: Date.UTC(1000, 0, 1), endMs: Date.UTC(2000, 0, 1) }]

test.each<[string, NativeBuckets, number]>([
  ['days', { kind: 'days', days: 1, originLocalMs: 0, zone: unasked }, 150_000],
  ['months', { kind: 'months', months: 1, originLocalMs: 0, zone: unasked }, 10_000],
  ['hours', { kind: 'localTime', widthMs: 3_600_000, zone: unasked }, 8_000_000],
  ['a fixed width', { kind: 'uniform', widthMs: 1, originMs: 0, zone: unasked }, 1_000_000],
  ['mixed units', { kind: 'walk', period, originMs: 0, zone: unasked }, 10_000],
])('too many buckets are refused before any is computed: %s', (_name, granularity, bucketsMax) => {
  expect(() => filledBuckets({ segments: null }, all, granularity, bucketsMax)).toThrow(/limits.buckets/)
})

test('buckets of mixed units equal those of a step-by-step walk, also before their origin', () => {
  const granularity: NativeBuckets = { kind: 'walk', period, originMs: 0, zone: Zone.utc }
  const intervals = [{ startMs: Date.UTC(1960, 5, 7), endMs: Date.UTC(1980, 0, 1) }]
  const naive: number[] = []
  for (let at = nativeBucketStart(granularity, intervals[0]!.startMs); at < intervals[0]!.endMs; ) {
    naive.push(at)
    at = nextBucket(granularity, at)
  }
  expect(filledBuckets({ segments: null }, intervals, granularity, 100_000)).toEqual(naive)
})

const stepMs = 60_000

test.each<[string, string, string]>([
  ['America/Santiago', '2025-09-05T04:00Z', '2025-09-08T23:00Z'],
  ['America/Santiago', '2025-04-04T04:00Z', '2025-04-08T23:00Z'],
  ['America/Havana', '2025-11-01T04:00Z', '2025-11-03T12:00Z'],
  ['America/Havana', '2025-03-08T04:00Z', '2025-03-10T12:00Z'],
  ['America/Havana', '2020-10-30T04:00Z', '2020-11-03T12:00Z'],
  ['Africa/Cairo', '2025-04-23T22:00Z', '2025-04-25T23:00Z'],
  ['Africa/Cairo', '2025-10-29T22:00Z', '2025-11-01T23:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T00:00Z', '2026-04-06T00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T00:00Z', '2026-10-05T00:00Z'],
  // Clocks are set back just after midnight to the day before: the buckets of two days alternate.
  ['America/St_Johns', '2007-11-03T00:00Z', '2007-11-06T00:00Z'],
  ['America/St_Johns', '2009-10-31T00:00Z', '2009-11-02T00:00Z'],
  ['Pacific/Apia', '2011-12-28T00:00Z', '2012-01-02T00:00Z'],
  ['Europe/Madrid', '2025-10-25T00:00Z', '2025-10-28T00:00Z'],
  ['+05:45', '2026-01-01T00:00Z', '2026-01-03T00:00Z'],
])('filled buckets equal the buckets of rows around clock changes: %s from %s', (name, from, until) => {
  const zone = Zone.find(name)!
  const intervals = [{ startMs: Date.parse(from), endMs: Date.parse(until) }]
  const instants: number[] = []
  for (let at = intervals[0]!.startMs; at < intervals[0]!.endMs; at += stepMs) instants.push(at)
  for (const text of ['PT5M', 'PT1H', 'PT6H', 'P1D', 'P2D', 'P1W', 'P1M', 'P3M', 'P1Y']) {
    for (const origin of [null, zone.toInstant(Date.UTC(2007, 10, 1), 0)]) {
      const granularity = periodGranularity(parsePeriod(text)!, zone, origin)!
      const ofRows = new Set(instants.map((ms) => nativeBucketStart(granularity, ms)))
      const filled = filledBuckets({ segments: null }, intervals, granularity, 5000)
      expect({ text, origin, filled }).toEqual({ text, origin, filled: [...ofRows].sort((a, b) => a - b) })
      expect(() => filledBuckets({ segments: null }, intervals, granularity, ofRows.size - 1)).toThrow(/limits.buckets/)
    }
  }
})
