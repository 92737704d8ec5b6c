// At each change of each zone from 1900 to 2037 the runtime's calendar, the store's buckets and the SQL engine agree, and a bucket has one start.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { floorFromOrigin, floorToBucket, shift, wideRange } from '../../src/druid-time/bucket-sql.ts'
import { formatTime, patternPieces } from '../../src/druid-time/format-sql.ts'
import { addPeriod, parsePeriod } from '../../src/druid-time/iso.ts'
import {
  bucketEnd,
  type NativeBuckets,
  nativeBucketStart,
  nextBucket,
  periodGranularity,
} from '../../src/druid-time/native-granularity.ts'
import { runtimeOffsets } from '../../src/druid-time/runtime-zone.ts'
import { formatOffset, Zone } from '../../src/druid-time/zone.ts'
import { sql } from '../../src/lib/sql-text.ts'
import type { EngineRow } from '../../src/sql-engine/sql-engine.ts'
import { DuckDbEngine } from '../druid-native/duckdb-engine.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine?.close())

const [fromMs, untilMs] = [Date.UTC(1900, 0, 1), Date.UTC(2038, 0, 1)]

/** Zones for which the engine's own rules differ from autumn 2026 on, and zones with offsets or changes of half an hour. */
const first =
  `America/Vancouver America/Edmonton America/Inuvik Africa/Casablanca Africa/El_Aaiun Australia/Lord_Howe America/St_Johns
  America/Toronto Asia/Gaza Europe/Dublin`.split(/\s+/)

function zones(): readonly string[] {
  const random = seededRandom(Number(process.env['TIDEMARK_TEST_SEED'] ?? 7))
  const others = Intl.supportedValuesOf('timeZone').filter((name) => !first.includes(name) && name !== 'UTC')
  const drawn = others.map((name) => ({ name, order: random.below(1_000_000) })).sort((a, b) => a.order - b.order)
  return [...first, ...drawn.slice(0, rounds(others.length) - first.length).map(({ name }) => name)]
}

/** Around each change: just before it, at it, and up to an hour before and after. */
function instantsOf(zone: Zone): readonly number[] {
  const changes = zone.changes(fromMs, untilMs).slice(1)
  const minutes = [-60, -30, 0, 29, 30, 60]
  return changes.flatMap((change) => [change.fromMs - 1, ...minutes.map((after) => change.fromMs + after * 60_000)])
}

const periods = ['PT1M', 'PT1H', 'P1D', 'P1W', 'P1M'].map((text) => parsePeriod(text)!)
const pattern = patternPieces('yyyy-MM-dd HH:mm:ss ZZ')!

test.each(zones())('all implementations agree on the clocks of %s', async (name) => {
  const zone = Zone.find(name)!
  const all = instantsOf(zone)
  const ask = runtimeOffsets(name)
  const offsets = all.map((ms) => ask(Math.floor(ms / 1000) * 1000))
  expect({ all, offsets: all.map((ms) => zone.offset(ms)) }).toEqual({ all, offsets })
  const granularities = periods.map((period) => periodGranularity(period, zone, null)!)
  const x = sql`CAST(ms AS BIGINT)`
  const asked = [
    ...granularities.map((granularity) => floorToBucket(x, granularity, wideRange)!),
    ...periods.slice(2).map((period) => floorFromOrigin(x, period, sql.long(0), zone)!),
    ...periods.map((period) => shift(x, period, sql.long(1), zone)),
    formatTime(x, pattern, zone),
  ]
  const list = sql.join(
    all.map((ms) => sql.long(ms)),
    ', ',
  )
  const rows: EngineRow[] = []
  for await (const part of engine.run(sql`SELECT ${sql.join(asked, ', ')} FROM (SELECT unnest([${list}]) AS ms)`))
    rows.push(...part)
  const expected = all.map((ms) => [
    ...granularities.map((granularity) => nativeBucketStart(granularity, ms)),
    ...periods.slice(2).map((period) => nativeBucketStart(periodGranularity(period, zone, 0)!, ms)),
    ...periods.map((period) => addPeriod(ms, period, 1, zone)),
  ])
  expect({ all, found: rows.map((row) => row.slice(0, -1).map(Number)) }).toEqual({ all, found: expected })
  const text = (ms: number): string =>
    new Date(ms + zone.offset(ms)).toISOString().slice(0, 19).replace('T', ' ') +
    ` ${formatOffset(Math.trunc(zone.offset(ms) / 60_000) * 60_000)}`
  expect(rows.map((row) => row.at(-1))).toEqual(all.map(text))
  expect(granularities.flatMap((granularity) => all.flatMap((ms) => faultsOf(granularity, ms)))).toEqual([])
})

/** Checks the bucket of an instant: its start is in the bucket, and a bucket of hours or less ends where the next one starts. Empty if both are true. */
function faultsOf(granularity: NativeBuckets, ms: number): readonly object[] {
  const startMs = nativeBucketStart(granularity, ms)
  const isStart = startMs <= ms && nativeBucketStart(granularity, startMs) === startMs
  const endMs = granularity.kind === 'localTime' ? bucketEnd(granularity, ms) : null
  const isFollowed =
    endMs === null || (nextBucket(granularity, startMs) === endMs && nativeBucketStart(granularity, endMs) === endMs)
  return isStart && isFollowed ? [] : [{ granularity, ms, startMs, endMs }]
}

const hours: readonly (readonly [at: string, start: string, next: string])[] = [
  ['2026-04-04T14:59:59.999Z', '2026-04-04T14:00Z', '2026-04-04T15:30Z'],
  ['2026-04-04T15:00Z', '2026-04-04T14:00Z', '2026-04-04T15:30Z'],
  ['2026-04-04T15:29:59.999Z', '2026-04-04T14:00Z', '2026-04-04T15:30Z'],
  ['2026-04-04T15:30Z', '2026-04-04T15:30Z', '2026-04-04T16:30Z'],
  ['2026-10-03T15:00Z', '2026-10-03T14:30Z', '2026-10-03T15:30Z'],
  ['2026-10-03T15:30Z', '2026-10-03T15:30Z', '2026-10-03T16:00Z'],
  ['2026-10-03T16:00Z', '2026-10-03T16:00Z', '2026-10-03T17:00Z'],
]

test.each(hours)(
  'at Lord Howe, %s is in one hour, of 90 minutes when clocks go back, of 30 when they go forward',
  (at, start, next) => {
    const granularity = periodGranularity(parsePeriod('PT1H')!, Zone.find('Australia/Lord_Howe')!, null)!
    const startMs = nativeBucketStart(granularity, Date.parse(at))
    expect([startMs, nextBucket(granularity, startMs)].map((ms) => new Date(ms))).toEqual(
      [start, next].map((text) => new Date(text)),
    )
  },
)
