// Compares the engine's time buckets with those of the calendar, one instant at a time.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { floorFromOrigin, floorToBucket, shift, type TimeRange, wideRange } from '../../src/druid-time/bucket-sql.ts'
import { addPeriod, parsePeriod } from '../../src/druid-time/iso.ts'
import { nativeBucketStart, periodGranularity } from '../../src/druid-time/native-granularity.ts'
import { Zone } from '../../src/druid-time/zone.ts'
import { sql } from '../../src/lib/sql-text.ts'
import type { EngineRow } from '../../src/sql-engine/sql-engine.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { DuckDbEngine } from './duckdb-engine.ts'

const seed = Number(process.env['TIDEMARK_TEST_SEED'] ?? 7)
const instants = rounds(60)

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine?.close())

const zones =
  'UTC Europe/Madrid america/new_york Asia/Kathmandu Australia/Lord_Howe America/Caracas Africa/Monrovia +05:30'
const periods = 'PT1H PT5M PT7H P1D P3D P1W P2W P1M P3M P1Y'
const cases = zones.split(' ').flatMap((zone) => periods.split(' ').map((period) => [period, zone] as const))
/** All times, and ten years, for which the SQL lists each change of the offset. */
const ranges: readonly (readonly [string, TimeRange])[] = [
  ['all times', { fromMs: Date.UTC(1910, 0, 1), untilMs: Date.UTC(2095, 0, 1) }],
  ['ten years', { fromMs: Date.UTC(1968, 0, 1), untilMs: Date.UTC(1978, 0, 1) }],
]

/** Random instants, half of them near a change of the zone's offset. */
function instantsOf(zone: Zone, { fromMs, untilMs }: TimeRange): readonly number[] {
  const random = seededRandom(seed)
  const changes = zone.changes(fromMs, untilMs).filter((change) => change.fromMs > fromMs)
  return Array.from({ length: instants }, (_, index) => {
    const change = changes[random.below(Math.max(1, changes.length))]
    if (index % 2 === 0 || change === undefined) return fromMs + random.below(untilMs - fromMs)
    return change.fromMs + (random.below(5) - 2) * 1_800_000 + random.below(3) - 1
  })
}

test.each(cases)('buckets and shifts of %s in %s are the same in SQL', async (period, name) => {
  const [zone, parsed] = [Zone.find(name)!, parsePeriod(period)!]
  const random = seededRandom(seed)
  for (const [what, range] of ranges) {
    const origin = range.fromMs + random.below(range.untilMs - range.fromMs)
    const [plain, from] = [periodGranularity(parsed, zone, null)!, periodGranularity(parsed, zone, origin)!]
    const asked = what === 'all times' ? wideRange : range
    const all = instantsOf(zone, range)
    const x = sql`CAST(ms AS BIGINT)`
    const found: EngineRow[] = []
    const asking = engine.run(
      sql`SELECT ${floorToBucket(x, plain, asked)!}, ${floorToBucket(x, from, asked)!}, ${floorFromOrigin(x, parsed, sql.long(origin), zone)!},
        ${shift(x, parsed, sql.long(-5), zone)} FROM (SELECT unnest([${sql.join(
          all.map((ms) => sql.long(ms)),
          ', ',
        )}]) AS ms)`,
    )
    for await (const part of asking) found.push(...part)
    const expected = all.map((ms) => {
      const fromOrigin = nativeBucketStart(from, ms)
      return [nativeBucketStart(plain, ms), fromOrigin, fromOrigin, addPeriod(ms, parsed, -5, zone)]
    })
    expect({ what, origin, all, found: found.map((row) => row.map(Number)) }).toEqual({
      what,
      origin,
      all,
      found: expected,
    })
  }
})
