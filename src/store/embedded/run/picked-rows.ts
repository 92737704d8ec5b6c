import type { ColumnVector, LongColumn } from '../../../model/column.ts'
import type { ResultBatch } from '../../series-store.ts'
import { type Chunk, exactOf, type NumberColumn, type RowSlice } from '../head/chunk.ts'
import type { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import type { KeptRows } from '../head/kept-rows.ts'
import { sliceRowsMax } from '../head/series-rows.ts'
import { BatchColumns, nulls } from './batch-columns.ts'
import type { FieldAccessor } from './field-accessor.ts'
import type { ItemTest } from './item-filter.ts'
import type { RunMemory } from './run-memory.ts'

const exactFrom = 2 ** 53
/** A chunk is retained instead of copied from if the rows read are at least one in this many of its rows. */
const heldPart = 4

/** The rows of a query's result, as references to where they are stored. */
export class PickedRows {
  /** The chunks of the picks. A pick refers to its chunk by index. */
  #chunks: Chunk[] = []
  readonly #memory: RunMemory
  readonly #chunkOf: GrowableInt32
  readonly #rows: GrowableInt32
  readonly #series: GrowableInt32
  readonly #times: GrowableFloat64
  readonly #kept: KeptRows | null

  /** `kept` stores copies of single rows; null when rows can be read where they are stored. */
  constructor(kept: KeptRows | null, memory: RunMemory) {
    this.#kept = kept
    this.#memory = memory
    const { chunkOf, rows, series, times } = memory
    this.#chunkOf = chunkOf
    this.#rows = rows
    this.#series = series
    this.#times = times
  }

  get length(): number {
    return this.#rows.length
  }

  /** Drops the picks. The memory is reused for the next ones. */
  clear(): void {
    this.#chunks = []
    this.#kept?.clear()
    this.#memory.clear()
  }

  get times(): Float64Array {
    return this.#times.values.subarray(0, this.length)
  }

  add(chunk: Chunk, row: number, series: number): void {
    if (this.#kept === null) {
      this.#pick(chunk, row, series)
      return
    }
    const place = this.#kept.keep(chunk, row, row + 1)
    this.#pick(this.#kept.chunk, place, series)
  }

  /** Picks the items of a range of rows. If the range is a good part of its chunk, the chunk is retained: copies would take as much memory. */
  addItems({ chunk, start, end }: RowSlice, series: number, items: ItemTest): void {
    // A chunk longer than `sliceRowsMax` stays in memory for the whole run: it is part of the head, or was made for the run.
    const isHeld = this.#kept === null || (end - start) * heldPart >= Math.min(chunk.times.length, sliceRowsMax)
    if (isHeld) {
      for (let row = start; row < end; row++) if (items.isItem(chunk, row)) this.#pick(chunk, row, series)
      return
    }
    // Neighbouring items are copied together.
    for (let row = start; row < end; row++) {
      const first = row
      while (row < end && items.isItem(chunk, row)) row++
      if (row === first) continue
      const place = this.#kept.keep(chunk, first, row)
      for (let copy = place; copy < place + row - first; copy++) this.#pick(this.#kept.chunk, copy, series)
    }
  }

  #pick(chunk: Chunk, row: number, series: number): void {
    if (this.#chunks[this.#chunks.length - 1] !== chunk) this.#chunks.push(chunk)
    this.#chunkOf.push(this.#chunks.length - 1)
    this.#rows.push(row)
    this.#series.push(series)
    this.#times.push(chunk.times[row])
  }

  chunk(pick: number): Chunk {
    return this.#chunks[this.#chunkOf.values[pick]]
  }

  row(pick: number): number {
    return this.#rows.values[pick]
  }

  series(pick: number): number {
    return this.#series.values[pick]
  }

  /** The picks from place `start` up to `end` of `order` (null: as picked) as columns, valid until the next call. */
  batch(accessors: readonly FieldAccessor[], order: Int32Array | null, start: number, end: number): ResultBatch {
    const picks = this.#memory.picks.codes(end - start)
    for (let place = start; place < end; place++) picks[place - start] = order === null ? place : order[place]
    return { rows: picks.length, columns: accessors.map((accessor, index) => this.#column(accessor, picks, index)) }
  }

  #column(accessor: FieldAccessor, picks: Int32Array, index: number): ColumnVector {
    const { columns } = this.#memory
    const batch = columns[index] ?? new BatchColumns()
    columns[index] = batch
    switch (accessor.kind) {
      case 'time': {
        const values = batch.numbers(picks.length)
        const times = this.times
        for (let place = 0; place < values.length; place++) values[place] = times[picks[place]]
        return { type: 'timestamp', values }
      }
      case 'tag': {
        const codes = batch.codes(picks.length)
        const series = this.#series.values
        const bySeries = accessor.tag.codes.values
        for (let place = 0; place < codes.length; place++) codes[place] = bySeries[series[picks[place]]]
        return { type: 'string', codes, dictionary: accessor.dictionary.strings }
      }
      case 'column':
        return this.#stored(accessor, picks, batch)
      case 'absent':
        return nulls(accessor.type, picks.length, accessor.dictionary, batch)
    }
  }

  #stored(accessor: FieldAccessor & { kind: 'column' }, picks: Int32Array, batch: BatchColumns): ColumnVector {
    const column = nulls(accessor.type, picks.length, accessor.dictionary, batch)
    switch (column.type) {
      case 'string':
        this.#codes(accessor, picks, column.codes)
        return column
      case 'boolean':
        this.#flags(accessor.index, picks, column.values)
        return column
      default:
        this.#numbers(accessor.index, picks, column.values)
        return column.type === 'long' ? this.#exact(accessor.index, picks, column) : column
    }
  }

  #numbers(index: number, picks: Int32Array, values: Float64Array): void {
    for (let place = 0; place < values.length; place++) {
      const column = this.chunk(picks[place]).columns[index]
      if (column !== undefined && column.type !== 'string') values[place] = column.values[this.row(picks[place])]
    }
  }

  #codes({ index, dictionary }: FieldAccessor & { kind: 'column' }, picks: Int32Array, codes: Int32Array): void {
    for (let place = 0; place < codes.length; place++) {
      const column = this.chunk(picks[place]).columns[index]
      if (column?.type !== 'string') continue
      codes[place] = dictionary.codeFrom(column.dictionary, column.codes[this.row(picks[place])])
    }
  }

  #flags(index: number, picks: Int32Array, values: Uint8Array): void {
    for (let place = 0; place < values.length; place++) {
      const column = this.chunk(picks[place]).columns[index]
      if (column?.type === 'boolean') values[place] = column.values[this.row(picks[place])]
    }
  }

  /** Adds the exact values if one of the longs is beyond 2^53. */
  #exact(index: number, picks: Int32Array, column: LongColumn): LongColumn {
    const { values } = column
    if (!values.some((value) => Math.abs(value) >= exactFrom)) return column
    const stored: NumberColumn = { type: 'long', values, exact: null }
    const exact = exactOf(stored)
    for (let place = 0; place < values.length; place++) {
      const value = values[place]
      if (Number.isNaN(value)) continue
      if (Math.abs(value) < exactFrom) exact[place] = BigInt(value)
      else {
        const from = this.chunk(picks[place]).columns[index]
        if (from?.type === 'long' && from.exact !== null) exact[place] = from.exact[this.row(picks[place])]
      }
    }
    return { type: 'long', values, exact }
  }
}
