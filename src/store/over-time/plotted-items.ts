// The items of one function of time that a chart needs: of each part of the range the first, last, least and greatest of each metric.
import type { Value } from '../../model/column.ts'
import { resultTooLarge } from '../limits.ts'
import { isLess } from './function-of-time.ts'
import { digitsAt, type ItemRun } from './item-run.ts'

export interface PlottedItem {
  readonly ms: number
  readonly position: number
  /** Of all metrics. */
  readonly values: readonly Value[]
}

/** Part k of n is from k/n of the range on; the last one has its end too. */
export interface Parts {
  readonly fromMs: number
  readonly toMs: number
  readonly points: number
  /** The most items of a combination of tags. */
  readonly itemsMax: number
}

/** A row of the run at hand, until that is over; then the item itself. */
interface Candidate {
  row: number
  item: PlottedItem | null
  readonly value: number
  /** The digits of a long beyond 2^53. */
  readonly exact: bigint | null
}

const roles = { first: 0, last: 1, least: 2, greatest: 3 } as const

export class PlottedMetric {
  readonly #metric: number
  readonly #parts: Parts
  readonly #isNumber: boolean
  readonly #plotted: Map<string, PlottedItem>
  readonly #metrics: number
  /** The part that the candidates are of. */
  #part = -1
  #candidates: (Candidate | null)[] = [null, null, null, null]
  /** Newer items of its date may come. */
  #pending: { readonly candidate: Candidate; readonly ms: number; readonly text: Value } | null = null
  #text: Value = null

  constructor(metric: number, metrics: number, isNumber: boolean, parts: Parts, plotted: Map<string, PlottedItem>) {
    this.#metric = metric
    this.#metrics = metrics
    this.#isNumber = isNumber
    this.#parts = parts
    this.#plotted = plotted
  }

  add(run: ItemRun): void {
    const { times, start, end } = run
    const numbers = this.#isNumber ? run.numbers(this.#metric) : null
    if (this.#isNumber && numbers === null) return
    for (let row = start; row < end; row++) {
      const value = numbers === null ? 0 : numbers[row]
      const text = numbers === null ? run.value(this.#metric, row) : null
      if (Number.isNaN(value) || (numbers === null && text === null)) continue
      if (this.#pending !== null && this.#pending.ms !== times[row]) this.#commit(run)
      const exact = digitsAt(run, this.#metric, row, value)
      this.#pending = { candidate: { row, item: null, value, exact }, ms: times[row], text }
    }
    // Its rows are not there any more when the next run comes.
    for (const candidate of [...this.#candidates, this.#pending?.candidate ?? null]) {
      if (candidate !== null) candidate.item ??= this.#itemAt(run, candidate.row)
    }
  }

  finish(): void {
    if (this.#pending !== null) this.#commit(null)
    this.#leave(null)
  }

  #commit(run: ItemRun | null): void {
    if (this.#pending === null) return
    const { candidate, ms, text } = this.#pending
    if (!this.#isNumber) {
      if (text !== this.#text) this.#plot(candidate, run)
      this.#text = text
      return
    }
    const part = this.#partOf(ms)
    if (part !== this.#part) this.#leave(run)
    this.#part = part
    const [first, , least, greatest] = this.#candidates
    if (first === null) this.#candidates[roles.first] = candidate
    this.#candidates[roles.last] = candidate
    if (least === null || isLess(candidate, least)) this.#candidates[roles.least] = candidate
    if (greatest === null || isLess(greatest, candidate)) this.#candidates[roles.greatest] = candidate
  }

  #partOf(ms: number): number {
    const { fromMs, toMs, points } = this.#parts
    if (toMs === fromMs) return 0
    return Math.min(points - 1, Math.floor(((ms - fromMs) * points) / (toMs - fromMs)))
  }

  #leave(run: ItemRun | null): void {
    for (const candidate of this.#candidates) if (candidate !== null) this.#plot(candidate, run)
    this.#candidates = [null, null, null, null]
  }

  #plot(candidate: Candidate, run: ItemRun | null): void {
    const item = candidate.item ?? (run === null ? null : this.#itemAt(run, candidate.row))
    if (item === null) throw new Error('an item is taken out of its run before that is over')
    this.#plotted.set(`${item.ms} ${item.position}`, item)
    const { itemsMax } = this.#parts
    if (this.#plotted.size > itemsMax) throw resultTooLarge(itemsMax, null)
  }

  #itemAt(run: ItemRun, row: number): PlottedItem {
    const values = Array.from({ length: this.#metrics }, (_, metric) => run.value(metric, row))
    return { ms: run.times[row], position: run.position(row), values }
  }
}
