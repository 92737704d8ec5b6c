import type { HourOfMetric, HourRow } from '../../hours/hour-row.ts'
import type { BoundedRollups, DigitBounds, HourSums } from '../reading/sealed-source.ts'
import type { KeptHours } from './kept-hours.ts'

/** Presents one kept hour at a time as the rollups of one hour. Its sums are of all values, or of the good ones. */
export class HourRollups implements BoundedRollups {
  readonly length = 1
  readonly hoursMs = new Float64Array(1)
  readonly #isOfGood: boolean
  /** The place of each metric, by the index of its column. */
  readonly #places: ReadonlyMap<number, number>
  #hour: HourRow | null = null

  constructor({ metrics }: Pick<KeptHours, 'metrics'>, isOfGood: boolean) {
    this.#isOfGood = isOfGood
    this.#places = new Map(metrics.map(({ index }, place) => [index, place]))
  }

  get rows(): number {
    return this.#hour?.rows ?? 0
  }

  enter(hour: HourRow): void {
    this.hoursMs[0] = hour.hourMs
    this.#hour = hour
  }

  /** The date of the first item of a column; Infinity if there is none. */
  firstMs(index: number): number {
    const firstMs = this.#metric(index)?.get('first_ms') ?? Number.NaN
    return Number.isNaN(firstMs) ? Number.POSITIVE_INFINITY : firstMs
  }

  column(index: number): HourSums | null {
    const metric = this.#metric(index)
    const count = metric?.get(this.#isOfGood ? metric.good('count') : 'count') ?? 0
    if (metric === null || count === 0) return null
    const [sum, lost] = (['sum', 'lost'] as const).map((part) => metric.get(this.#isOfGood ? metric.good(part) : part))
    const total = metric.digits('total') ?? metric.get('total')
    return {
      counts: Float64Array.of(count),
      sums: Float64Array.of(sum!),
      errors: Float64Array.of(lost!),
      ...(typeof total === 'bigint' || !Number.isNaN(total) ? { totals: [BigInt(total)] } : {}),
    }
  }

  /** The bounds of all values, good or not. */
  bounds(index: number): DigitBounds | null {
    const metric = this.#metric(index)
    if (metric === null) return null
    return {
      least: Float64Array.of(metric.get('least')),
      greatest: Float64Array.of(metric.get('greatest')),
      digits: { least: [metric.digits('least')], greatest: [metric.digits('greatest')] },
    }
  }

  #metric(index: number): HourOfMetric | null {
    const place = this.#places.get(index)
    return place === undefined ? null : (this.#hour?.metrics[place] ?? null)
  }
}
