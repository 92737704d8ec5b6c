// The windows of GROUP BY time(), as InfluxDB cuts them: from 1970 on by the clocks of a zone, so that a day begins at its midnight.
import type { Zone } from '../druid-time/zone.ts'
import { type Sql, sql } from '../lib/sql-text.ts'

export class Windows {
  readonly intervalMs: number
  readonly #offsetMs: number
  readonly #zone: Zone

  constructor(intervalMs: number, offsetMs: number, zone: Zone) {
    this.intervalMs = intervalMs
    this.#offsetMs = offsetMs
    this.#zone = zone
  }

  startOf(ms: number): number {
    const shifted = ms - this.#offsetMs
    const offset = this.#zone.offset(shifted)
    const start = shifted - floorMod(shifted + offset, this.intervalMs)
    return this.#adjusted(start, offset) + this.#offsetMs
  }

  endOf(ms: number): number {
    const shifted = ms - this.#offsetMs
    const offset = this.#zone.offset(shifted)
    const end = shifted - floorMod(shifted + offset, this.intervalMs) + this.intervalMs
    return this.#adjusted(end, offset) + this.#offsetMs
  }

  /** The start of the window behind the one that begins here, or before it. */
  after(startMs: number, isDescending: boolean): number {
    const next = startMs + (isDescending ? -this.intervalMs : this.intervalMs)
    if (this.#zone.offset(next) === this.#zone.offset(startMs)) return next
    const aligned = this.startOf(this.#adjusted(next, this.#zone.offset(startMs)))
    return aligned > startMs === isDescending || aligned === startMs ? next : aligned
  }

  /** Of a moment that was found by an offset. A change as long as a window moves none. */
  #adjusted(ms: number, offset: number): number {
    const change = offset - this.#zone.offset(ms)
    return Math.abs(change) < this.intervalMs ? ms + change : ms
  }

  /** The start of the window of `__time`, of which all are in a range. */
  sql(fromMs: number, untilMs: number): Sql {
    const zone = this.#zone
    const changes = zone.changes(fromMs - this.intervalMs, untilMs)
    const last = this.#floor(changes.at(-1)?.offsetMs ?? 0)
    if (changes.length < 2) return last
    // Days of a zone begin as Druid has them.
    if (this.intervalMs === dayMs && this.#offsetMs === 0) return sql`TIME_FLOOR(__time, 'P1D', NULL, ${zone.name})`
    const branches = changes.slice(1).flatMap(({ fromMs: changeMs }, index) => {
      const at = changeMs + this.#offsetMs
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

const dayMs = 86_400_000

const units = [
  { ms: dayMs, prefix: 'P', suffix: 'D' },
  { ms: 3_600_000, prefix: 'PT', suffix: 'H' },
  { ms: 60_000, prefix: 'PT', suffix: 'M' },
  { ms: 1000, prefix: 'PT', suffix: 'S' },
] as const

function floorMod(value: number, by: number): number {
  return value - Math.floor(value / by) * by
}
