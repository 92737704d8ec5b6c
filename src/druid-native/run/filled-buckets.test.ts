import { expect, test } from 'vitest'
import { parsePeriod } from '../../druid-time/iso.ts'
import { type NativeBuckets, nativeBucketStart, nextBucket } from '../../druid-time/native-granularity.ts'
import { Zone } from '../../druid-time/zone.ts'
import { filledBuckets } from './filled-buckets.ts'

/** A zone that must not be asked: what is refused by arithmetic asks for no bucket. */
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
  ['of one width', { kind: 'uniform', widthMs: 1, originMs: 0, zone: unasked }, 1_000_000],
  ['of units together', { kind: 'walk', period, originMs: 0, zone: unasked }, 10_000],
])('too many buckets are refused before any is looked for: %s', (_name, granularity, bucketsMax) => {
  expect(() => filledBuckets({ segments: null }, all, granularity, bucketsMax)).toThrow(/limits.buckets/)
})

test('buckets of units together are walked to once, also before their origin', () => {
  const granularity: NativeBuckets = { kind: 'walk', period, originMs: 0, zone: Zone.utc }
  const intervals = [{ startMs: Date.UTC(1960, 5, 7), endMs: Date.UTC(1980, 0, 1) }]
  const naive: number[] = []
  for (let at = nativeBucketStart(granularity, intervals[0]!.startMs); at < intervals[0]!.endMs; ) {
    naive.push(at)
    at = nextBucket(granularity, at)
  }
  expect(filledBuckets({ segments: null }, intervals, granularity, 100_000)).toEqual(naive)
})
