import { randomInt } from 'node:crypto'
import type { ReplacedInBatch } from '../catalog/catalog.ts'
import { type PlacedEntry, positionAfter } from '../journal/journal.ts'
import type { StringColumn } from '../model/column.ts'
import { type RowBatch, timesOf } from '../model/row-batch.ts'
import type { ValidatedRun } from './entry-validator.ts'

/** Rows of a push beyond this number are not compared; times and tags of this many rows take about 100 MiB. */
const comparedRowsMax = 2 ** 22

type Push = Pick<PlacedEntry, 'position' | 'rows'>

/**
 * Counts the rows that replace an earlier row of the same push: one with the same time and tags, if the entity keeps only one row of these. A push is
 * counted from its first row on, across all steps that validate it.
 */
export class ReplacedRows {
  /** Pushes in progress, by position. */
  readonly #pushes = new Map<number, ItemsOfPush>()
  /** Random, so that a client cannot choose times that all collide in a hash table. */
  readonly #seed = randomInt(2 ** 31)

  /** Counts so far, including this step, of the pushes with rows in these runs. A row passed again is not counted again. */
  count(entries: readonly Push[], runs: readonly Pick<ValidatedRun, 'ingestId' | 'batch' | 'spans'>[]) {
    const found = new Map<number, ReplacedInBatch>()
    let at = 0
    for (const { ingestId, batch, spans } of runs) {
      if (batch?.pushedNulls === undefined) continue
      const items = itemsOf(batch)
      let row = 0
      for (const span of spans) {
        while (positionAfter(entries[at]!) <= span.position) at++
        const push = this.#of(entries[at]!)
        for (; row < batch.rows && batch.positions[row]! < span.position + span.rows; row++) push.add(items, row)
        const { position: batchPosition, replaced: rows } = push
        if (rows > 0) found.set(batchPosition, { ingestId, batchPosition, rows })
      }
    }
    return [...found.values()]
  }

  /** All rows before this position are validated, and their counts kept. */
  kept(position: number): void {
    for (const [first, { end }] of this.#pushes) if (end <= position) this.#pushes.delete(first)
  }

  #of(entry: Push): ItemsOfPush {
    const push = this.#pushes.get(entry.position) ?? new ItemsOfPush(entry, this.#seed)
    this.#pushes.set(entry.position, push)
    return push
  }
}

/** Columns that identify the items of a batch. */
interface Items extends Pick<RowBatch, 'positions'> {
  readonly times: Float64Array
  readonly tags: readonly StringColumn[]
}

function itemsOf(batch: RowBatch): Items {
  const { fields, columns, positions } = batch
  const tags = columns.filter((column, index): column is StringColumn => {
    return fields[index]!.role === 'tag' && column.type === 'string'
  })
  return { positions, times: timesOf(batch), tags }
}

/** The items of one push so far. String codes may differ between batches, so each text has a number here. */
class ItemsOfPush {
  readonly position: number
  readonly end: number
  replaced = 0
  #nextPosition = 0
  /** By tag: numbers of its texts, and of the combinations of the preceding tags with one of them. */
  readonly #tags: { readonly texts: Map<string, number>; readonly series: Map<number, number> }[] = []
  /** Hash table with open addressing: 1 + the number of the series, 0 if free; at most half full. */
  readonly #series: Int32Array
  readonly #times: Float64Array
  readonly #seed: number

  constructor(push: Push, seed: number) {
    this.#seed = seed
    this.position = push.position
    this.end = positionAfter(push)
    const places = 2 ** Math.ceil(Math.log2(2 * Math.min(Math.max(push.rows, 1), comparedRowsMax)))
    this.#series = new Int32Array(places)
    this.#times = new Float64Array(places)
  }

  add({ positions, times, tags }: Items, row: number): void {
    const position = positions[row]!
    if (position < this.#nextPosition || position - this.position >= comparedRowsMax) return
    this.#nextPosition = position + 1
    if (!this.#addNew(times[row]!, this.#seriesOf(tags, row) + 1)) this.replaced++
  }

  #seriesOf(tags: readonly StringColumn[], row: number): number {
    let series = 0
    for (let tag = 0; tag < tags.length; tag++) {
      const { codes, dictionary } = tags[tag]!
      this.#tags[tag] ??= { texts: new Map(), series: new Map() }
      const known = this.#tags[tag]!
      const text = numberOf(known.texts, dictionary[codes[row]!]!)
      series = tag === 0 ? text : numberOf(known.series, series * comparedRowsMax + text)
    }
    return series
  }

  /** Returns false if the item exists. */
  #addNew(ms: number, series: number): boolean {
    const mask = this.#series.length - 1
    for (let place = this.#hash(ms, series) & mask; ; place = (place + 1) & mask) {
      if (this.#series[place] === 0) {
        this.#series[place] = series
        this.#times[place] = ms
        return true
      }
      if (this.#series[place] === series && this.#times[place] === ms) return false
    }
  }

  #hash(ms: number, series: number): number {
    let hash = Math.imul(this.#seed ^ series, 0x9e3779b1)
    hash = Math.imul(hash ^ (hash >>> 15) ^ ms, 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13) ^ (ms / 2 ** 32), 0xc2b2ae35)
    return hash ^ (hash >>> 16)
  }
}

/** The number of a value; a new value is assigned the next number. */
function numberOf<Value>(numbers: Map<Value, number>, value: Value): number {
  const known = numbers.get(value)
  if (known !== undefined) return known
  numbers.set(value, numbers.size)
  return numbers.size - 1
}
