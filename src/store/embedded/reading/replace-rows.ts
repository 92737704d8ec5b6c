// Where newer rows replace older ones of the same time and tags, field by field. Each value has an origin: the position of the row it was
// pushed with. Of two rows of one date, each field goes by the newer origin, so that it does not matter in what order, or in how many steps,
// rows come together.
import { inParts } from '../../../lib/in-parts.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { type Chunk, type ChunkColumn, exactOf, isNullIn, type NumberColumn, newColumn } from '../head/chunk.ts'

/**
 * A column whose values are replaced, and the column of their origins, by the entity's indices. An origin is written down only where it is
 * not evident: a value has its row's position, and a null is none that was pushed.
 */
export interface ReplacedColumn {
  readonly index: number
  readonly originIndex: number
}

const none = -1

/**
 * Makes one row of all rows of one date, in place: it has the position of the newest, and of each field the value of the newest origin.
 * The first `rows` rows of the chunk are of one series and ordered by time. Returns how many are left.
 */
export function replaceRows(chunk: Chunk, rows: number, columns: readonly ReplacedColumn[]): number {
  return replacePart(chunk, { start: 0, end: rows }, 0, columns)
}

/** The same, in slices. */
export async function replaceManyRows(
  chunk: Chunk,
  rows: number,
  columns: readonly ReplacedColumn[],
  pacer: Pacer,
): Promise<number> {
  let left = 0
  await inParts(0, rows, pacer, (start, end) => {
    const isOfLast = left > 0 && chunk.times[left - 1] === chunk.times[start]
    // The last row that was made is one of its date like the others: in how many steps they come together does not matter.
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

/** Puts what becomes of the rows of a part to `to`, which is not after its start; returns where that ends. */
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

/** Where the rows of each date end. */
function endsOfDates(times: Float64Array, { start, end }: Part): Int32Array {
  const ends = new Int32Array(end - start)
  let count = 0
  for (let row = start + 1; row <= end; row++) if (row === end || times[row] !== times[row - 1]) ends[count++] = row
  return ends.subarray(0, count)
}

/** The rows of the dates of a part, and where they go to. */
interface Dates {
  readonly start: number
  readonly ends: Int32Array
  readonly newest: Float64Array
  readonly to: number
}

/** Values move towards the start alone, to places whose rows were looked at. */
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

/** -1 where the row does not have the property. */
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
