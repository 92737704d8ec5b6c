// The items of one function of time that a chart needs: the first, last, least and greatest of each metric in each part of the range.
import type { Value } from '../../model/column.ts'
import { resultTooLarge } from '../limits.ts'
import { boundsOf, type ItemOfMetric, type ItemRollup, isLess } from './function-of-time.ts'
import { digitsAt, type ItemRun } from './item-run.ts'

export interface PlottedItem {
  readonly ms: number
  readonly position: number
  /** The values shown before the metrics, then those of all metrics. */
  readonly values: readonly Value[]
}

/** The range in n equal parts. Part k starts at k/n of the range; the last one includes the end. */
export interface Parts {
  readonly fromMs: number
  readonly toMs: number
  readonly points: number
}

/** The position of an item from a kept hour. Such an item has the values of only those metrics that keep it. */
const keptPosition = -1

/** From here on, doubles do not distinguish neighbouring longs. */
const exactFrom = 2 ** 53

/** The items of one combination of tags, without duplicates. */
export class PlottedItems {
  readonly #itemsMax: number
  readonly #byDate = new Map<number, PlottedItem[]>()
  #length = 0

  /** With more than `itemsMax` items, `add` throws Problem `result_too_large`. */
  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax
  }

  add(item: PlottedItem): void {
    const known = this.#byDate.get(item.ms)
    if (known === undefined) this.#byDate.set(item.ms, [item])
    else {
      const place = known.findIndex((one) => isSame(one, item))
      if (place !== -1) {
        if (item.position === keptPosition) known[place] = together(known[place]!, item)
        return
      }
      known.push(item)
    }
    this.#length++
    if (this.#length > this.#itemsMax) throw resultTooLarge(this.#itemsMax, null)
  }

  *[Symbol.iterator](): Generator<PlottedItem> {
    for (const items of this.#byDate.values()) yield* items
  }
}

function isSame(one: PlottedItem, other: PlottedItem): boolean {
  if (one.position !== other.position || one.position !== keptPosition) return one.position === other.position
  return one.values.every((value, at) => value === null || other.values[at] === null || value === other.values[at])
}

function together(one: PlottedItem, { values }: PlottedItem): PlottedItem {
  return { ...one, values: one.values.map((value, at) => value ?? values[at] ?? null) }
}

/** A row of the current run, or the item itself after that run. There is one object for each role, which is reused. */
class Candidate {
  isSet = false
  row = 0
  value = 0
  /** The exact value of a long beyond 2^53. */
  exact: bigint | null = null
  item: PlottedItem | null = null

  set({ row, value, exact, item }: Candidate): void {
    this.setRow(row, value, exact)
    this.item = item
  }

  setRow(row: number, value: number, exact: bigint | null): void {
    this.isSet = true
    this.row = row
    this.value = value
    this.exact = exact
    this.item = null
  }

  setItem(item: PlottedItem, { value, exact }: ItemOfMetric): void {
    this.setRow(-1, value, exact)
    this.item = item
  }
}

export class PlottedMetric {
  readonly #metric: number
  readonly #parts: Parts
  readonly #isNumber: boolean
  readonly #plotted: PlottedItems
  readonly #metrics: number
  /** The end of the part that the candidates belong to. */
  #untilMs = Number.NEGATIVE_INFINITY
  readonly #first = new Candidate()
  readonly #last = new Candidate()
  readonly #least = new Candidate()
  readonly #greatest = new Candidate()
  readonly #all = [this.#first, this.#last, this.#least, this.#greatest]
  /** The item to be added next: a later item of the same date may still replace it. */
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
    if (this.#isNumber) this.#addNumbers(run)
    else this.#addOthers(run)
    // The rows of a run are no longer available when the next run comes.
    for (const candidate of [...this.#all, this.#pending]) {
      if (candidate.isSet) candidate.item ??= this.#itemAt(run, candidate.row)
    }
  }

  /** Whether the plotted items are known from a rollup, which is that of the only metric. */
  canAdd(rollup: ItemRollup): boolean {
    const { first, last, least, greatest } = rollup
    return (
      Number.isFinite(least + greatest) && this.canAddKept(rollup) && this.#partOf(first.ms) === this.#partOf(last.ms)
    )
  }

  /** Adds items that `canAdd` accepts. They have one item for each date, so their positions do not matter. */
  addRollup(rollup: ItemRollup): void {
    const { least, greatest } = boundsOf(rollup)
    this.#addItems([rollup.first, least, greatest, rollup.last], 0)
  }

  /** Whether the items that a kept hour contributes have dates. */
  canAddKept({ leastMs, greatestMs }: ItemRollup): boolean {
    return this.#isNumber && Number.isFinite(leastMs + greatestMs)
  }

  /** Adds an hour that `canAddKept` accepts. Its items go to the parts of their dates. */
  addKept(rollup: ItemRollup): void {
    const { least, greatest } = boundsOf(rollup)
    const items = [rollup.first, least, greatest, rollup.last]
    this.#addItems(
      items.sort((left, right) => left.ms - right.ms),
      keptPosition,
    )
  }

  #addItems(items: readonly ItemOfMetric[], position: number): void {
    for (const item of items) {
      this.#commit(null)
      const values = new Array<Value>(this.#metrics).fill(null)
      values[this.#metric] = item.exact ?? item.value
      this.#pending.setItem({ ms: item.ms, position, values }, item)
      this.#pendingMs = item.ms
    }
  }

  finish(): void {
    this.#commit(null)
    this.#leave(null)
  }

  #addNumbers(run: ItemRun): void {
    const numbers = run.numbers(this.#metric)
    if (numbers === null) return
    const { times, start, end } = run
    for (let row = start; row < end; row++) {
      if (Number.isNaN(numbers[row])) continue
      if (this.#pendingMs !== times[row]) {
        this.#commit(run)
        row = this.#sweep(run, numbers, row)
      }
      this.#pending.setRow(row, numbers[row], digitsAt(run, this.#metric, row, numbers[row]))
      this.#pendingMs = times[row]
    }
  }

  #addOthers(run: ItemRun): void {
    const { times, start, end } = run
    for (let row = start; row < end; row++) {
      const value = run.value(this.#metric, row)
      if (value === null) continue
      if (this.#pendingMs !== times[row]) this.#commit(run)
      this.#pending.setRow(row, 0, null)
      this.#pendingMs = times[row]
      this.#pendingText = value
    }
  }

  /**
   * Processes the items of the current part from a row with a value on, except the last one, whose row it returns: newer items of its date may
   * come. Only the least and the greatest of these items may be plotted.
   */
  #sweep({ times, end }: ItemRun, numbers: Float64Array, row: number): number {
    const [least, greatest, untilMs] = [this.#least, this.#greatest, this.#untilMs]
    if (!least.isSet || least.exact !== null || greatest.exact !== null) return row
    let from = least.value
    let to = greatest.value
    let leastRow = -1
    let greatestRow = -1
    let last = row
    let lastMs = times[row]
    let value = numbers[row]
    for (let next = row + 1; next < end && times[next] < untilMs; next++) {
      if (Number.isNaN(numbers[next])) continue
      if (times[next] !== lastMs && (value < from || value > to)) {
        // Longs that share a double are compared exactly, one by one.
        if (Math.abs(value) >= exactFrom) break
        if (value < from) {
          from = value
          leastRow = last
        } else {
          to = value
          greatestRow = last
        }
      }
      last = next
      lastMs = times[next]
      value = numbers[next]
    }
    if (leastRow !== -1) least.setRow(leastRow, from, null)
    if (greatestRow !== -1) greatest.setRow(greatestRow, to, null)
    return last
  }

  #commit(run: ItemRun | null): void {
    const pending = this.#pending
    if (!pending.isSet) return
    if (!this.#isNumber) {
      if (this.#pendingText !== this.#text) this.#plot(pending, run)
      this.#text = this.#pendingText
      return
    }
    if (this.#pendingMs >= this.#untilMs) {
      this.#leave(run)
      this.#untilMs = this.#endOf(this.#partOf(this.#pendingMs))
    }
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

  /** The first whole millisecond after a part. */
  #endOf(part: number): number {
    const { fromMs, toMs, points } = this.#parts
    if (part === points - 1 || toMs === fromMs) return Number.POSITIVE_INFINITY
    let ms = Math.floor(fromMs + ((part + 1) * (toMs - fromMs)) / points) - 1
    while (this.#partOf(ms) <= part) ms++
    return ms
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
    const values: Value[] = [...run.shown(row)]
    for (let metric = 0; metric < this.#metrics; metric++) values.push(run.value(metric, row))
    // A single metric has one item for each date, so its position does not matter and is not read.
    return { ms: run.times[row], position: this.#metrics === 1 ? 0 : run.position(row), values }
  }
}
