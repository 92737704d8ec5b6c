import type { HourMetric, HourRow } from './hour-row.ts'
import { RunningHour } from './running-hour.ts'
import { hourMs } from './whole-hours.ts'

/** Makes the hours of a series from its rows, which come ordered by time and position. */
export class HourMaker {
  readonly #types: readonly HourMetric['type'][]
  #startMs = Number.NEGATIVE_INFINITY
  #rows = 0
  #position = 0
  #running: readonly RunningHour[] = []

  constructor(metrics: readonly Pick<HourMetric, 'type'>[]) {
    this.#types = metrics.map(({ type }) => type)
  }

  /** The end of the current hour. */
  get endMs(): number {
    return this.#startMs + hourMs
  }

  /** Moves to the hour of the next row. Returns the hour before if that is complete now, else null. */
  enter(ms: number): HourRow | null {
    if (ms < this.endMs) return null
    const over = this.finish()
    this.#startMs = Math.floor(ms / hourMs) * hourMs
    this.#running = this.#types.map((type) => new RunningHour(type === 'long'))
    return over
  }

  /** A metric of the current hour, to add the values of its rows to. */
  metric(place: number): RunningHour {
    return this.#running[place]!
  }

  /** Counts a row of the current hour. */
  count(position: number): void {
    this.#rows++
    this.#position = Math.max(this.#position, position)
  }

  /** Completes the current hour after the last row; null if there is none. */
  finish(): HourRow | null {
    if (this.#rows === 0) return null
    const metrics = this.#running.map((one) => one.finish())
    const hour = { hourMs: this.#startMs, position: this.#position, rows: this.#rows, metrics }
    this.#rows = 0
    this.#position = 0
    return hour
  }
}
