// The windows of GROUP BY time(), cut as in InfluxDB: from 1970 on the clocks of a zone, so that a day starts at the zone's midnight.
import { ZonedBuckets } from '../druid-time/plain-granularity.ts'
import type { Zone } from '../druid-time/zone.ts'
import { type Sql, sql } from '../lib/sql-text.ts'
import { msPerDay } from '../model/instant.ts'
import { refused } from './refusals.ts'

export class Windows {
  readonly intervalMs: number
  readonly #offsetMs: number
  readonly #zone: Zone
  readonly #buckets: ZonedBuckets

  constructor(intervalMs: number, offsetMs: number, zone: Zone) {
    this.intervalMs = intervalMs
    this.#offsetMs = offsetMs
    this.#zone = zone
    const originLocalMs = offsetMs
    this.#buckets = new ZonedBuckets(
      intervalMs % msPerDay === 0
        ? { kind: 'days', days: intervalMs / msPerDay, originLocalMs, zone }
        : { kind: 'localTime', widthMs: intervalMs, originLocalMs, zone },
    )
  }

  startOf(ms: number): number {
    return this.#buckets.startOf(ms)
  }

  endOf(ms: number): number {
    return this.#buckets.endOf(ms)
  }

  /** The start of the window after the one that starts at `startMs`. */
  after(startMs: number): number {
    return this.#buckets.nextStart(startMs)
  }

  /** The start of the window of `__time`, in SQL, for times within a range. Throws Problem `invalid_request`. */
  sql(fromMs: number, untilMs: number): Sql {
    const zone = this.#zone
    const changes = zone.changes(fromMs - this.intervalMs, untilMs)
    const last = this.#floor(changes.at(-1)?.offsetMs ?? 0)
    if (changes.length < 2) return last
    // The days of a zone are cut as Druid's are.
    if (this.intervalMs === msPerDay && this.#offsetMs === 0) return sql`TIME_FLOOR(__time, 'P1D', NULL, ${zone.name})`
    if (changes.length > clockChangesMax)
      throw refused(
        `GROUP BY time() in the time zone ${zone.name} supports at most ${clockChangesMax} clock changes, and the range has ${changes.length - 1}: end it earlier, as with time < now().`,
      )
    const branches = changes.slice(1).flatMap(({ fromMs: at }, index) => {
      const before = sql`WHEN __time < MILLIS_TO_TIMESTAMP(${at}) THEN ${this.#floor(changes[index]!.offsetMs)}`
      const around = sql`WHEN __time < MILLIS_TO_TIMESTAMP(${this.endOf(at)}) THEN MILLIS_TO_TIMESTAMP(${this.startOf(at)})`
      return [before, around]
    })
    return sql`CASE ${sql.join(branches, ' ')} ELSE ${last} END`
  }

  #floor(offsetMs: number): Sql {
    const origin = floorMod(this.#offsetMs - offsetMs, this.intervalMs)
    const unit = origin === 0 ? units.find(({ ms }) => this.intervalMs % ms === 0) : undefined
    const period =
      unit === undefined ? `PT${this.intervalMs / 1000}S` : `${unit.prefix}${this.intervalMs / unit.ms}${unit.suffix}`
    if (origin === 0) return sql`TIME_FLOOR(__time, ${period})`
    return sql`TIME_FLOOR(__time, ${period}, MILLIS_TO_TIMESTAMP(${origin}))`
  }
}

/** About 150 years. Each change is written into the query, which has the word limit of all SQL queries. */
const clockChangesMax = 300

const units = [
  { ms: msPerDay, prefix: 'P', suffix: 'D' },
  { ms: 3_600_000, prefix: 'PT', suffix: 'H' },
  { ms: 60_000, prefix: 'PT', suffix: 'M' },
  { ms: 1000, prefix: 'PT', suffix: 'S' },
] as const

function floorMod(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}
