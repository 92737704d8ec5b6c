// Where the rows of each series are stored. A series gets space in the chunks extent by extent, each about as long as all before it. So a million
// series of one row cost little, and a long series is read as a few long ranges. Rows are never moved: the rows that a query has seen stay as they were.
import { type Chunk, firstAfter, firstAtOrAfter, newChunk, type RowSlice } from './chunk.ts'
import { GrowableFloat64, GrowableInt32 } from './growable.ts'

/** An address consists of a chunk's number and a row in it. */
const rowBits = 20
const chunkRowsMax = 2 ** rowBits
const rowMask = chunkRowsMax - 1
const chunksMax = 2 ** (32 - rowBits)
const firstChunkRows = 256
const extentRowsMax = 1024
/** Longer ranges are visited in parts, since a visitor can only rest between two of them. As long as a page of a file. */
export const sliceRowsMax = 8192
const none = -1
/** `lateFrom` of a series without late rows. */
const notLate = 2 ** 31 - 1

export function chunkOfAddress(address: number): number {
  return address >>> rowBits
}

export function rowOfAddress(address: number): number {
  return address & rowMask
}

/** Called with rows [start, end) of a chunk. Returns false to end the walk. */
export type SliceVisitor = (chunk: Chunk, start: number, end: number) => boolean

export class SeriesRows {
  readonly chunks: Chunk[] = []
  /** The number of rows of each series. */
  readonly counts = new GrowableInt32()
  /** The number of rows of each series before the first late one. Where rows are replaced, another row of the newest date is late, too. */
  readonly lateFrom = new GrowableInt32()
  /** The oldest and newest date of each series. */
  readonly firstMs = new GrowableFloat64()
  readonly lastMs = new GrowableFloat64()
  readonly #chunkRows: number
  /** The address of each series' next row, and the number of free rows in its extent. */
  readonly #next = new GrowableInt32()
  readonly #freeRows = new GrowableInt32()
  readonly #lastExtent = new GrowableInt32()
  readonly #lastPosition = new GrowableFloat64()
  /** Extents: the address of the first row, the number of rows of the series before it, and the extent before it. */
  readonly #starts = new GrowableInt32()
  readonly #bases = new GrowableInt32()
  readonly #previous = new GrowableInt32()
  #lateSeries = 0
  #used = 0
  #allocated = 0

  constructor(chunkRows: number) {
    if (chunkRows < 1 || chunkRows > chunkRowsMax) throw new Error(`chunkRows must lie within 1 and ${chunkRowsMax}`)
    this.#chunkRows = chunkRows
  }

  /** Adds the cursors of a series. Series are added in the order of their numbers. */
  addSeries(): void {
    this.counts.push(0)
    this.lateFrom.push(notLate)
    this.#next.push(0)
    this.#freeRows.push(0)
    this.#lastExtent.push(none)
    this.firstMs.push(Number.POSITIVE_INFINITY)
    this.lastMs.push(Number.NEGATIVE_INFINITY)
    this.#lastPosition.push(Number.NEGATIVE_INFINITY)
  }

  /** Assigns an address to each row, and notes where rows are late. */
  place(
    series: Int32Array,
    times: Float64Array,
    positions: Float64Array,
    rows: number,
    addresses: Int32Array,
    replaces: boolean,
  ): void {
    const next = this.#next.values
    const freeRows = this.#freeRows.values
    const counts = this.counts.values
    const lateFrom = this.lateFrom.values
    const firstMs = this.firstMs.values
    const lastMs = this.lastMs.values
    const lastPosition = this.#lastPosition.values
    for (let row = 0; row < rows; row++) {
      const id = series[row]
      if (freeRows[id] === 0) {
        this.#extend(id)
        if (counts[id] === 0) firstMs[id] = times[row]
      }
      addresses[row] = next[id]++
      freeRows[id]--
      const ms = times[row]
      if (ms > lastMs[id] || (ms === lastMs[id] && !replaces && positions[row] >= lastPosition[id])) {
        lastMs[id] = ms
        lastPosition[id] = positions[row]
      } else {
        if (lateFrom[id] === notLate) {
          lateFrom[id] = counts[id]
          this.#lateSeries++
        }
        if (ms < firstMs[id]) firstMs[id] = ms
      }
      counts[id]++
    }
  }

  /** Visits those of the first `count` rows of a series that lie within the range, newest extent first. Only for rows that came in order. */
  backward(series: number, count: number, fromMs: number, toMs: number, visit: SliceVisitor): void {
    const bases = this.#bases.values
    let end = count
    let extent = this.#lastExtent.values[series]
    while (extent !== none && bases[extent] >= end) extent = this.#previous.values[extent]
    for (; extent !== none; extent = this.#previous.values[extent]) {
      const address = this.#starts.values[extent]
      const chunk = this.chunks[chunkOfAddress(address)]
      const start = rowOfAddress(address)
      const sliceEnd = start + end - bases[extent]
      if (!showWithin({ chunk, start, end: sliceEnd }, fromMs, toMs, visit)) return
      end = bases[extent]
    }
  }

  /** Rows [from, to) of a series in the order in which they came. */
  arrived(series: number, from: number, to: number): RowSlice[] {
    const slices: RowSlice[] = []
    let end = to
    for (let extent = this.#lastExtent.values[series]; extent !== none; extent = this.#previous.values[extent]) {
      const base = this.#bases.values[extent]
      if (base >= end) continue
      const address = this.#starts.values[extent]
      const chunk = this.chunks[chunkOfAddress(address)]
      const zero = rowOfAddress(address) - base
      slices.push({ chunk, start: zero + Math.max(base, from), end: zero + end })
      if (base <= from) break
      end = base
    }
    return slices.reverse()
  }

  get hasLate(): boolean {
    return this.#lateSeries > 0
  }

  get bytes(): number {
    return this.counts.length * 48 + this.#starts.length * 12
  }

  /** Allocates an extent for a series. If the last extent ends at the free rows, it is extended instead. */
  #extend(series: number): void {
    const rows = this.counts.values[series]
    const wanted = rows === 0 ? 1 : rows === 1 ? 3 : Math.min(rows, extentRowsMax)
    if (this.chunks.length === 0 || this.#used === this.#lastChunkRows()) this.#addChunk()
    const granted = Math.min(wanted, this.#lastChunkRows() - this.#used)
    const address = ((this.chunks.length - 1) << rowBits) | this.#used
    this.#used += granted
    this.#freeRows.values[series] = granted
    const continues = rowOfAddress(address) > 0 && this.#next.values[series] === address
    if (continues) return
    this.#next.values[series] = address
    this.#previous.push(this.#lastExtent.values[series])
    this.#lastExtent.values[series] = this.#starts.length
    this.#starts.push(address)
    this.#bases.push(rows)
  }

  #lastChunkRows(): number {
    return this.chunks[this.chunks.length - 1].times.length
  }

  /** Chunks double in size up to `#chunkRows`: a small entity stays small, and nothing is copied. */
  #addChunk(): void {
    if (this.chunks.length === chunksMax) throw new Error('the head of an entity is full')
    const rows = Math.min(this.#chunkRows, Math.max(firstChunkRows, this.#allocated))
    this.chunks.push(newChunk(rows))
    this.#allocated += rows
    this.#used = 0
  }
}

/** Visits the rows that lie within the range. Returns false when the walk towards older rows is complete. */
export function showWithin(slice: RowSlice, fromMs: number, toMs: number, visit: SliceVisitor): boolean {
  const { chunk, start, end: sliceEnd } = slice
  const times = chunk.times
  const firstMs = times[start]
  if (firstMs > toMs) return true
  const high = times[sliceEnd - 1] > toMs ? firstAfter(times, start, sliceEnd, toMs) : sliceEnd
  const low = firstMs < fromMs ? firstAtOrAfter(times, start, high, fromMs) : start
  for (let end = high; end > low; end -= sliceRowsMax) {
    if (!visit(chunk, Math.max(low, end - sliceRowsMax), end)) return false
  }
  return firstMs >= fromMs
}
