// Where newer rows replace older ones of the same time and tags, field by field. Each value has an origin: the position of the row it was
// pushed with. Of two rows of one date, each field goes by the newer origin, so that it does not matter in what order, or in how many steps,
// rows come together.
import { type Chunk, exactOf, isNullIn, type NumberColumn, newColumn, type StoredColumn } from '../head/chunk.ts'

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
  const { times, positions } = chunk
  const ends = endsOfDates(times, rows)
  if (ends.length === rows) return rows
  const newest = new Float64Array(ends.length)
  let start = 0
  for (let place = 0; place < ends.length; place++) {
    newest[place] = positions[start]
    for (let row = start + 1; row < ends[place]; row++) newest[place] = Math.max(newest[place], positions[row])
    start = ends[place]
  }
  for (const column of columns) replaceValues(chunk, ends, newest, column)
  for (let place = 0; place < ends.length; place++) times[place] = times[ends[place] - 1]
  positions.set(newest)
  return ends.length
}

/** Where the rows of each date end. */
function endsOfDates(times: Float64Array, rows: number): Int32Array {
  const ends = new Int32Array(rows)
  let count = 0
  for (let row = 1; row <= rows; row++) if (row === rows || times[row] !== times[row - 1]) ends[count++] = row
  return ends.subarray(0, count)
}

/** Values move towards the start alone, to places whose rows were looked at. */
function replaceValues(
  chunk: Chunk,
  ends: Int32Array,
  newest: Float64Array,
  { index, originIndex }: ReplacedColumn,
): void {
  const column = chunk.columns[index]
  let origins = originsIn(chunk, originIndex)
  if (column === undefined && origins === null) return
  let start = 0
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
    if (column !== undefined) copyValue(column, from === none ? start - 1 : from, place)
    const isEvident = from === none || (!isNull && origin === newest[place])
    if (isEvident && origins === null) continue
    origins ??= newOrigins(chunk, originIndex)
    origins.values[place] = isEvident ? Number.NaN : origin
  }
}

/** -1 where the row does not have the property. */
function originOf(chunk: Chunk, column: StoredColumn | undefined, origins: NumberColumn | null, row: number): number {
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

function copyValue(column: StoredColumn, from: number, to: number): void {
  if (from === to) return
  if (column.type === 'string') {
    column.codes[to] = column.codes[from]
    return
  }
  column.values[to] = column.values[from]
  if (column.type !== 'boolean' && column.exact !== null) exactOf(column)[to] = column.exact[from]
}
