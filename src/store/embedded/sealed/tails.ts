// The newest row of each series, stored in the index: its encoding while a file is written, and its decoding.

import { type ColumnType, nullBoolean, nullCode } from '../../../model/column.ts'
import { type Chunk, type ChunkColumn, isNullIn } from '../head/chunk.ts'
import { Dictionary } from '../head/dictionary.ts'
import { GrowableFloat64 } from '../head/growable.ts'
import type { Section } from './index-layout.ts'
import type { Arrays } from './section-arrays.ts'
import { joinArrays, used } from './section-writer.ts'

/** From here on neighbouring longs map to the same double. */
const exactFrom = 2 ** 53

export interface TailColumn {
  readonly index: number
  readonly place: number
  readonly type: ColumnType
}

export class TailsBuilder {
  readonly #times = new GrowableFloat64()
  readonly #positions = new GrowableFloat64()
  readonly #columns: readonly ColumnTails[]

  constructor(columns: readonly TailColumn[]) {
    this.#columns = columns.map((column) => new ColumnTails(column))
  }

  /** Adds the newest row of the next series. */
  add(chunk: Chunk, row: number): void {
    const place = this.#times.length
    this.#times.push(chunk.times[row])
    this.#positions.push(chunk.positions[row])
    for (const column of this.#columns) column.add(place, chunk, row)
  }

  *sections(): Generator<Section> {
    yield { kind: 'tails', column: 0, bytes: joinArrays([used(this.#times), used(this.#positions)]) }
    for (const column of this.#columns) yield* column.sections(this.#times.length)
  }
}

/** The newest values of one column by series; null for series without a value. */
class ColumnTails {
  readonly #column: TailColumn
  /** Numbers, codes or booleans. */
  readonly #values = new GrowableFloat64()
  readonly #exact = new Map<number, bigint>()
  readonly #dictionary = new Dictionary()
  readonly #null: number
  #hasValue = false

  constructor(column: TailColumn) {
    this.#column = column
    this.#null = column.type === 'string' ? nullCode : column.type === 'boolean' ? nullBoolean : Number.NaN
  }

  add(place: number, chunk: Chunk, row: number): void {
    const column = chunk.columns[this.#column.index]
    if (column === undefined || isNullIn(column, row)) return
    this.#hasValue = true
    this.#fill(place)
    this.#values.push(this.#valueOf(column, row))
    if (column.type !== 'long' || Math.abs(column.values[row]) < exactFrom) return
    this.#exact.set(place, column.exact === null ? BigInt(column.values[row]) : column.exact[row])
  }

  sections(series: number): Section[] {
    if (!this.#hasValue) return []
    this.#fill(series)
    return [{ kind: 'columnTails', column: this.#column.place, bytes: this.#encode() }]
  }

  #valueOf(column: ChunkColumn, row: number): number {
    if (column.type === 'string') return this.#dictionary.codeFrom(column.dictionary, column.codes[row])
    // A long has no -0.
    return column.type === 'long' ? column.values[row] + 0 : column.values[row]
  }

  #fill(places: number): void {
    while (this.#values.length < places) this.#values.push(this.#null)
  }

  #encode(): Uint8Array {
    const values = used(this.#values)
    switch (this.#column.type) {
      case 'string':
        return encodeStrings(new Int32Array(values), this.#dictionary.strings)
      case 'boolean':
        return new Uint8Array(values)
      default:
        return this.#isExact(values)
          ? joinArrays([values, new Uint8Array(this.#exactValues(values).buffer)])
          : joinArrays([values])
    }
  }

  #isExact(values: Float64Array): boolean {
    return this.#column.type === 'long' && values.some((value) => Math.abs(value) >= exactFrom)
  }

  #exactValues(values: Float64Array): BigInt64Array {
    const exact = new BigInt64Array(values.length)
    for (const [place, value] of values.entries()) {
      if (!Number.isNaN(value)) exact[place] = this.#exact.get(place) ?? BigInt(value)
    }
    return exact
  }
}

function encodeStrings(codes: Int32Array, strings: readonly string[]): Uint8Array {
  const texts = strings.map((text) => Buffer.from(text))
  let end = 0
  const ends = Uint32Array.from(texts, ({ length }) => {
    end += length
    return end
  })
  return joinArrays([codes, Uint32Array.of(texts.length), ends, ...texts])
}

/** The values of the newest rows of `series` series; null when the section does not have this length. */
export function decodeTails(arrays: Arrays, type: ColumnType, series: number): ChunkColumn | null {
  switch (type) {
    case 'string':
      return decodeStrings(arrays, series)
    case 'boolean': {
      const values = arrays.bytes(series)
      return arrays.isAtEnd ? { type, values } : null
    }
    default: {
      const values = arrays.float64(series)
      const isExact = type === 'long' && !arrays.isAtEnd
      const exact = isExact ? new BigInt64Array(arrays.bytes(8 * series).buffer) : null
      return arrays.isAtEnd ? { type, values, exact } : null
    }
  }
}

function decodeStrings(arrays: Arrays, series: number): ChunkColumn | null {
  const codes = arrays.int32(series)
  const [count] = arrays.uint32(1)
  const ends = arrays.uint32(count)
  const text = Buffer.from(arrays.bytes())
  if (!arrays.isAtEnd || (ends.at(-1) ?? 0) !== text.length) return null
  const dictionary = Array.from(ends, (end, index) => text.toString('utf8', index === 0 ? 0 : ends[index - 1], end))
  return { type: 'string', codes, dictionary }
}
