// Newer rows replace older ones of the same time and tags, field by field. Each value has an origin: the position of the row it was pushed
// with. Between two rows of one date, each field takes the value with the newer origin, so the result does not depend on the order, or on the
// number of steps, in which rows are combined.
import { forEachChunk } from '../../../lib/for-each-chunk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { type Chunk, type ChunkColumn, exactOf, isNullIn, type NumberColumn, newColumn } from '../head/chunk.ts'

/**
 * A column whose values are replaced, and the column of their origins, by the entity's indices. An origin is stored only where it is not
 * evident: by default a value has its row's position, and a null was never pushed.
 */
export interface ReplacedColumn {
  readonly index: number
  readonly originIndex: number
}

const none = -1

/**
 * Combines all rows of one date into one, in place. The combined row has the position of the newest row, and in each field the value with the
 * newest origin. The first `rows` rows of the chunk belong to one series and are ordered by time. Returns the number of rows that remain.
 */
export function replaceRows(chunk: Chunk, rows: number, columns: readonly ReplacedColumn[]): number {
  return replacePart(chunk, { start: 0, end: rows }, 0, columns)
}

/** As `replaceRows`, in slices. */
export async function replaceManyRows(
  chunk: Chunk,
  rows: number,
  columns: readonly ReplacedColumn[],
  pacer: Pacer,
): Promise<number> {
  let left = 0
  await forEachChunk(0, rows, pacer, (start, end) => {
    const isOfLast = left > 0 && chunk.times[left - 1] === chunk.times[start]
    // The last combined row is an ordinary row of its date: the number of steps does not matter.
    if (isOfLast) moveRow(chunk, left - 1, start - 1, columns)
    const from = isOfLast ? start - 1 : start
    left = replacePart(chunk, { start: from, end }, isOfLast ? left - 1 : left, columns)
  })
  return left
}

interface Part {
  readonly start: number
  readonly end: number
}

/** Writes the combined rows of a part from `to` on, which is not after the part's start; returns where they end. */
function replacePart(chunk: Chunk, part: Part, to: number, columns: readonly ReplacedColumn[]): number {
  const { times, positions } = chunk
  const { start, end } = part
  const ends = endsOfDates(times, part)
  if (ends.length === end - start && to === start) return end
  const newest = new Float64Array(ends.length)
  let row = start
  for (let place = 0; place < ends.length; place++) {
    newest[place] = positions[row]
    for (row++; row < ends[place]; row++) newest[place] = Math.max(newest[place], positions[row])
  }
  for (const column of columns) replaceValues(chunk, { start, ends, newest, to }, column)
  for (let place = 0; place < ends.length; place++) times[to + place] = times[ends[place] - 1]
  positions.set(newest, to)
  return to + ends.length
}

/** The end of each date's rows. */
function endsOfDates(times: Float64Array, { start, end }: Part): Int32Array {
  const ends = new Int32Array(end - start)
  let count = 0
  for (let row = start + 1; row <= end; row++) if (row === end || times[row] !== times[row - 1]) ends[count++] = row
  return ends.subarray(0, count)
}

/** The dates of a part's rows, and where the combined rows are written. */
interface Dates {
  readonly start: number
  readonly ends: Int32Array
  readonly newest: Float64Array
  readonly to: number
}

/** Values move only towards the start, to rows that were already read. */
function replaceValues(chunk: Chunk, dates: Dates, { index, originIndex }: ReplacedColumn): void {
  const { ends, newest, to } = dates
  const column = chunk.columns[index]
  let origins = originsIn(chunk, originIndex)
  if (column === undefined && origins === null) return
  let start = dates.start
  for (let place = 0; place < ends.length; place++) {
    let from = none
    let origin = none
    for (let row = start; row < ends[place]; row++) {
      const candidate = originOf(chunk, column, origins, row)
      if (candidate <= origin) continue
      origin = candidate
      from = row
    }
    start = ends[place]
    const isNull = column === undefined || from === none || isNullIn(column, from)
    if (column !== undefined) copyValue(column, from === none ? start - 1 : from, to + place)
    const isEvident = from === none || (!isNull && origin === newest[place])
    if (isEvident && origins === null) continue
    origins ??= newOrigins(chunk, originIndex)
    origins.values[to + place] = isEvident ? Number.NaN : origin
  }
}

function moveRow(chunk: Chunk, from: number, to: number, columns: readonly ReplacedColumn[]): void {
  chunk.times[to] = chunk.times[from]
  chunk.positions[to] = chunk.positions[from]
  for (const { index, originIndex } of columns) {
    for (const column of [chunk.columns[index], chunk.columns[originIndex]]) {
      if (column !== undefined) copyValue(column, from, to)
    }
  }
}

/** -1 when the row does not have the field. */
function originOf(chunk: Chunk, column: ChunkColumn | undefined, origins: NumberColumn | null, row: number): number {
  const origin = origins === null ? Number.NaN : origins.values[row]
  if (!Number.isNaN(origin)) return origin
  return column === undefined || isNullIn(column, row) ? none : chunk.positions[row]
}

function originsIn(chunk: Chunk, index: number): NumberColumn | null {
  const column = chunk.columns[index]
  if (column === undefined) return null
  if (column.type !== 'long') throw new Error('origins are longs')
  return column
}

function newOrigins(chunk: Chunk, index: number): NumberColumn {
  const column = newColumn('long', chunk.times.length, [])
  if (column.type !== 'long') throw new Error('origins are longs')
  chunk.columns[index] = column
  return column
}

function copyValue(column: ChunkColumn, from: number, to: number): void {
  if (from === to) return
  if (column.type === 'string') {
    column.codes[to] = column.codes[from]
    return
  }
  column.values[to] = column.values[from]
  if (column.type !== 'boolean' && column.exact !== null) exactOf(column)[to] = column.exact[from]
}
