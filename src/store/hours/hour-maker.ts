import type { HourMetric, HourRow } from './hour-row.ts'
import { RunningHour } from './running-hour.ts'
import { hourMs } from './whole-hours.ts'

/** The hours of a series, made of its rows in the order of time and position. */
export class HourMaker {
  readonly #types: readonly HourMetric['type'][]
  #startMs = Number.NEGATIVE_INFINITY
  #rows = 0
  #position = 0
  #running: readonly RunningHour[] = []

  constructor(metrics: readonly Pick<HourMetric, 'type'>[]) {
    this.#types = metrics.map(({ type }) => type)
  }

  /** Where the hour ends that it is in. */
  get endMs(): number {
    return this.#startMs + hourMs
  }

  /** Moves to the hour of the next row. The hour before is over then; null where there is none. */
  enter(ms: number): HourRow | null {
    if (ms < this.endMs) return null
    const over = this.finish()
    this.#startMs = Math.floor(ms / hourMs) * hourMs
    this.#running = this.#types.map((type) => new RunningHour(type === 'long'))
    return over
  }

  /** A metric in the hour, which takes the values of its rows. */
  metric(place: number): RunningHour {
    return this.#running[place]!
  }

  /** Counts a row of the hour. */
  count(position: number): void {
    this.#rows++
    this.#position = Math.max(this.#position, position)
  }

  /** The hour that it is in, after the last row; null where there is none. */
  finish(): HourRow | null {
    if (this.#rows === 0) return null
    const metrics = this.#running.map((one) => one.finish())
    const hour = { hourMs: this.#startMs, position: this.#position, rows: this.#rows, metrics }
    this.#rows = 0
    this.#position = 0
    return hour
  }
}
