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
}

/** The items of one combination of tags, each once. */
export class PlottedItems {
  readonly #itemsMax: number
  readonly #byDate = new Map<number, PlottedItem[]>()
  #length = 0

  /** `itemsMax` are the most items. */
  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax
  }

  add(item: PlottedItem): void {
    const known = this.#byDate.get(item.ms)
    if (known === undefined) this.#byDate.set(item.ms, [item])
    else if (known.every(({ position }) => position !== item.position)) known.push(item)
    else return
    this.#length++
    if (this.#length > this.#itemsMax) throw resultTooLarge(this.#itemsMax, null)
  }

  *[Symbol.iterator](): Generator<PlottedItem> {
    for (const items of this.#byDate.values()) yield* items
  }
}

/** A row of the run at hand, until that is over; then the item itself. There is one for each role, which is set anew again and again. */
class Candidate {
  isSet = false
  row = 0
  value = 0
  /** The digits of a long beyond 2^53. */
  exact: bigint | null = null
  item: PlottedItem | null = null

  set({ row, value, exact, item }: Candidate): void {
    this.isSet = true
    this.row = row
    this.value = value
    this.exact = exact
    this.item = item
  }
}

export class PlottedMetric {
  readonly #metric: number
  readonly #parts: Parts
  readonly #isNumber: boolean
  readonly #plotted: PlottedItems
  readonly #metrics: number
  /** The part that the candidates are of. */
  #part = -1
  readonly #first = new Candidate()
  readonly #last = new Candidate()
  readonly #least = new Candidate()
  readonly #greatest = new Candidate()
  readonly #all = [this.#first, this.#last, this.#least, this.#greatest]
  /** Newer items of its date may come. */
  readonly #pending = new Candidate()
  #pendingMs = Number.NaN
  #pendingText: Value = null
  #text: Value = null

  constructor(metric: number, metrics: number, isNumber: boolean, parts: Parts, plotted: PlottedItems) {
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
    const pending = this.#pending
    for (let row = start; row < end; row++) {
      const value = numbers === null ? 0 : numbers[row]
      const text = numbers === null ? run.value(this.#metric, row) : null
      if (Number.isNaN(value) || (numbers === null && text === null)) continue
      if (pending.isSet && this.#pendingMs !== times[row]) this.#commit(run)
      pending.isSet = true
      pending.row = row
      pending.value = value
      pending.exact = digitsAt(run, this.#metric, row, value)
      pending.item = null
      this.#pendingMs = times[row]
      this.#pendingText = text
    }
    // Its rows are not there any more when the next run comes.
    for (const candidate of [...this.#all, pending]) {
      if (candidate.isSet) candidate.item ??= this.#itemAt(run, candidate.row)
    }
  }

  finish(): void {
    if (this.#pending.isSet) this.#commit(null)
    this.#leave(null)
  }

  #commit(run: ItemRun | null): void {
    const pending = this.#pending
    if (!this.#isNumber) {
      if (this.#pendingText !== this.#text) this.#plot(pending, run)
      this.#text = this.#pendingText
      return
    }
    const part = this.#partOf(this.#pendingMs)
    if (part !== this.#part) this.#leave(run)
    this.#part = part
    if (!this.#first.isSet) this.#first.set(pending)
    this.#last.set(pending)
    if (!this.#least.isSet || isLess(pending, this.#least)) this.#least.set(pending)
    if (!this.#greatest.isSet || isLess(this.#greatest, pending)) this.#greatest.set(pending)
  }

  #partOf(ms: number): number {
    const { fromMs, toMs, points } = this.#parts
    if (toMs === fromMs) return 0
    return Math.min(points - 1, Math.floor(((ms - fromMs) * points) / (toMs - fromMs)))
  }

  #leave(run: ItemRun | null): void {
    for (const candidate of this.#all) {
      if (candidate.isSet) this.#plot(candidate, run)
      candidate.isSet = false
    }
  }

  #plot(candidate: Candidate, run: ItemRun | null): void {
    const item = candidate.item ?? (run === null ? null : this.#itemAt(run, candidate.row))
    if (item === null) throw new Error('an item is taken out of its run before that is over')
    this.#plotted.add(item)
  }

  #itemAt(run: ItemRun, row: number): PlottedItem {
    const values: Value[] = []
    for (let metric = 0; metric < this.#metrics; metric++) values.push(run.value(metric, row))
    return { ms: run.times[row], position: run.position(row), values }
  }
}
