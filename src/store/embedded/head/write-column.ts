import type { ColumnType, ColumnVector, LongColumn } from '../../../model/column.ts'
import { type Chunk, type ChunkColumn, exactOf, newColumn } from './chunk.ts'
import type { Dictionary } from './dictionary.ts'
import { chunkOfAddress, rowOfAddress } from './series-rows.ts'

const none = -1
/** From here on, doubles do not distinguish neighbouring longs. */
const exactFrom = 2 ** 53

/** The translated codes of the current batch. The memory is reused. */
let translated = new Int32Array(0)

interface Target {
  readonly index: number
  readonly type: ColumnType
  readonly dictionary: Dictionary
}

/** Writes times and positions to their addresses. */
export function writeTimes(
  chunks: readonly Chunk[],
  addresses: Int32Array,
  times: Float64Array,
  positions: Float64Array,
  rows: number,
): void {
  let current = none
  let chunk: Chunk | null = null
  for (let row = 0; row < rows; row++) {
    const address = addresses[row]
    if (chunk === null || chunkOfAddress(address) !== current) {
      current = chunkOfAddress(address)
      chunk = chunks[current]
    }
    const place = rowOfAddress(address)
    chunk.times[place] = times[row]
    chunk.positions[place] = positions[row]
  }
}

/** Writes the values of one field to their rows' addresses. */
export function writeColumn(
  chunks: readonly Chunk[],
  target: Target,
  addresses: Int32Array,
  column: ColumnVector,
  rows: number,
): void {
  if (column.type !== target.type) throw new Error(`a field of type ${target.type} came as ${column.type}`)
  if (column.type === 'string') {
    if (translated.length < rows) translated = new Int32Array(2 * rows)
    target.dictionary.translate(column, rows, translated)
    writeValues(chunks, target, addresses, translated, rows)
    return
  }
  writeValues(chunks, target, addresses, column.values, rows)
  if (column.type === 'long') writeExact(chunks, target, addresses, column, rows)
}

function writeValues(
  chunks: readonly Chunk[],
  target: Target,
  addresses: Int32Array,
  values: Float64Array | Int32Array | Uint8Array,
  rows: number,
): void {
  let current = none
  let stored = valuesOf(columnIn(chunks[chunkOfAddress(addresses[0])], target))
  for (let row = 0; row < rows; row++) {
    const address = addresses[row]
    if (chunkOfAddress(address) !== current) {
      current = chunkOfAddress(address)
      stored = valuesOf(columnIn(chunks[current], target))
    }
    stored[rowOfAddress(address)] = values[row]
  }
}

function writeExact(
  chunks: readonly Chunk[],
  target: Target,
  addresses: Int32Array,
  { values, exact }: LongColumn,
  rows: number,
): void {
  for (let row = 0; row < rows; row++) {
    if (!(Math.abs(values[row]) >= exactFrom)) continue
    const address = addresses[row]
    const stored = columnIn(chunks[chunkOfAddress(address)], target)
    if (stored.type !== 'long') throw new Error('a column keeps its type')
    exactOf(stored)[rowOfAddress(address)] = exact === null ? BigInt(values[row]) : exact[row]
  }
}

function columnIn(chunk: Chunk, { index, type, dictionary }: Target): ChunkColumn {
  const known = chunk.columns[index]
  if (known !== undefined) return known
  const column = newColumn(type, chunk.times.length, dictionary.strings)
  chunk.columns[index] = column
  return column
}

function valuesOf(column: ChunkColumn): Float64Array | Int32Array | Uint8Array {
  return column.type === 'string' ? column.codes : column.values
}
