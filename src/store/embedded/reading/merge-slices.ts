// Merges the rows of one series from several sources, lazily: a source is opened when the merge reaches its dates, and where sources do not
// overlap, their slices are passed through unchanged.
import { type Chunk, firstAfter, firstAtOrAfter, newChunk, type RowSlice } from '../head/chunk.ts'
import { type CopiedColumn, copyRowsInto } from '../head/copy-rows.ts'
import { type ReplacedColumn, replaceRows } from './replace-rows.ts'

/** Oldest first, or newest first. */
export type Direction = 'forward' | 'backward'

/** Sources that are not open yet. */
export interface Pending {
  /** In the direction of the merge, none of their rows comes before this date; null when none is left. */
  peekMs(): number | null
  /** Opens the source that `peekMs` refers to. */
  open(): Iterator<RowSlice>
}

/** Pieces shorter than this are copied together, up to `gatheredRowsMax` rows, because each slice has a fixed cost. */
const pieceRowsMin = 64
const gatheredRowsMax = 1024

/**
 * The rows of all sources ordered by time and position, as slices in the order of `direction`. With `replaced`, each source has at most
 * one row per date, and the rows of one date are combined into one.
 */
export function* mergeSlices(
  pending: Pending,
  direction: Direction,
  columns: () => readonly CopiedColumn[],
  replaced: readonly ReplacedColumn[] | null,
): Generator<RowSlice> {
  const cursors: Cursor[] = []
  const gathered = new GatheredRows(direction, columns, replaced)
  for (;;) {
    const next = nextCursor(cursors, pending, direction)
    if (next === null) break
    const rival = rivalOf(next, cursors)
    const isTied = replaced !== null && rival?.ms === next.ms
    const isOfTied = isTied || gathered.tiedMs === next.ms
    const piece = replaced === null ? next.take(rival, pending.peekMs()) : takeReplaced(next, rival, pending, isOfTied)
    if (isOfTied || (piece.end - piece.start < pieceRowsMin && (cursors.length > 1 || !gathered.isEmpty))) {
      if (gathered.add(piece, isTied)) yield gathered.take()
    } else {
      if (!gathered.isEmpty) yield gathered.take()
      yield piece
    }
    // Only after the piece was yielded: a caller that has found its row must not pay for another page.
    next.settle()
    if (next.isDone) cursors.splice(cursors.indexOf(next), 1)
  }
  if (!gathered.isEmpty) yield gathered.take()
}

/** The cursor with the next row, after opening all sources that may have it. */
function nextCursor(cursors: Cursor[], pending: Pending, direction: Direction): Cursor | null {
  let next = firstOf(cursors, null)
  for (let ms = pending.peekMs(); ms !== null; ms = pending.peekMs()) {
    if (next !== null && (direction === 'forward' ? ms > next.ms : ms < next.ms)) break
    const cursor = direction === 'forward' ? new ForwardCursor(pending.open()) : new BackwardCursor(pending.open())
    if (cursor.isDone) continue
    cursors.push(cursor)
    if (next === null || cursor.comesBefore(next)) next = cursor
  }
  return next
}

/** The cursor's next rows up to the first date that another source may have too; or only its next row, if another has its date. */
function takeReplaced(cursor: Cursor, rival: Cursor | null, pending: Pending, isTied: boolean): RowSlice {
  if (isTied) return cursor.takeOne()
  const pendingMs = pending.peekMs()
  if (rival === null) return cursor.take(null, pendingMs)
  const isNearer = pendingMs === null || Math.abs(rival.ms - cursor.ms) < Math.abs(pendingMs - cursor.ms)
  return cursor.take(null, isNearer ? rival.ms : pendingMs)
}

function rivalOf(cursor: Cursor, cursors: readonly Cursor[]): Cursor | null {
  return cursors.length === 1 ? null : firstOf(cursors, cursor)
}

function firstOf(cursors: readonly Cursor[], except: Cursor | null): Cursor | null {
  let first: Cursor | null = null
  for (const cursor of cursors) {
    if (cursor !== except && (first === null || cursor.comesBefore(first))) first = cursor
  }
  return first
}

/** A position in the rows of one source. */
interface Cursor {
  readonly isDone: boolean
  /** The date and the position of its next row. */
  readonly ms: number
  readonly position: number
  comesBefore(other: Cursor): boolean
  /** The next rows, as far as they come before the rival's rows and before those of sources that are not open. */
  take(rival: Cursor | null, pendingMs: number | null): RowSlice
  /** Only the next row. */
  takeOne(): RowSlice
  /** Moves to the next slice when all rows of the current one were taken. */
  settle(): void
}

const nothing: RowSlice = { chunk: newChunk(0), start: 0, end: 0 }

class ForwardCursor implements Cursor {
  isDone = false
  readonly #slices: Iterator<RowSlice>
  #slice = nothing
  #row = 0

  constructor(slices: Iterator<RowSlice>) {
    this.#slices = slices
    this.#enter()
  }

  get ms(): number {
    return this.#slice.chunk.times[this.#row]
  }

  get position(): number {
    return this.#slice.chunk.positions[this.#row]
  }

  comesBefore(other: Cursor): boolean {
    return this.ms === other.ms ? this.position < other.position : this.ms < other.ms
  }

  take(rival: Cursor | null, pendingMs: number | null): RowSlice {
    const { chunk, end } = this.#slice
    const start = this.#row
    let cut = end
    if (pendingMs !== null && chunk.times[end - 1] >= pendingMs)
      cut = firstAtOrAfter(chunk.times, start, end, pendingMs)
    if (rival !== null && chunk.times[cut - 1] >= rival.ms) {
      cut = firstAtOrAfter(chunk.times, start, cut, rival.ms)
      while (cut < end && chunk.times[cut] === rival.ms && chunk.positions[cut] <= rival.position) cut++
    }
    const piece = start === this.#slice.start && cut === end ? this.#slice : { chunk, start, end: cut }
    this.#row = cut
    return piece
  }

  takeOne(): RowSlice {
    const start = this.#row++
    return { chunk: this.#slice.chunk, start, end: start + 1 }
  }

  settle(): void {
    if (this.#row === this.#slice.end) this.#enter()
  }

  #enter(): void {
    const next = this.#slices.next()
    this.isDone = next.done === true
    this.#slice = next.done === true ? nothing : next.value
    this.#row = this.#slice.start
  }
}

class BackwardCursor implements Cursor {
  isDone = false
  readonly #slices: Iterator<RowSlice>
  #slice = nothing
  /** The row after the next one. */
  #end = 0

  constructor(slices: Iterator<RowSlice>) {
    this.#slices = slices
    this.#enter()
  }

  get ms(): number {
    return this.#slice.chunk.times[this.#end - 1]
  }

  get position(): number {
    return this.#slice.chunk.positions[this.#end - 1]
  }

  comesBefore(other: Cursor): boolean {
    return this.ms === other.ms ? this.position > other.position : this.ms > other.ms
  }

  take(rival: Cursor | null, pendingMs: number | null): RowSlice {
    const { chunk, start } = this.#slice
    const end = this.#end
    let cut = start
    if (pendingMs !== null && chunk.times[start] <= pendingMs) cut = firstAfter(chunk.times, start, end, pendingMs)
    if (rival !== null && chunk.times[cut] <= rival.ms) {
      cut = firstAfter(chunk.times, cut, end, rival.ms)
      while (cut > start && chunk.times[cut - 1] === rival.ms && chunk.positions[cut - 1] >= rival.position) cut--
    }
    const piece = end === this.#slice.end && cut === start ? this.#slice : { chunk, start: cut, end }
    this.#end = cut
    return piece
  }

  takeOne(): RowSlice {
    const end = this.#end--
    return { chunk: this.#slice.chunk, start: end - 1, end }
  }

  settle(): void {
    if (this.#end === this.#slice.start) this.#enter()
  }

  #enter(): void {
    const next = this.#slices.next()
    this.isDone = next.done === true
    this.#slice = next.done === true ? nothing : next.value
    this.#end = this.#slice.end
  }
}

/** Short pieces to be combined into one slice: few rows at first, so that a caller that needs one row gets it soon, then more. */
class GatheredRows {
  readonly #direction: Direction
  readonly #columns: () => readonly CopiedColumn[]
  readonly #replaced: readonly ReplacedColumn[] | null
  #pieces: RowSlice[] = []
  #rows = 0
  #rowsWanted = 1
  #hasTies = false
  /** The date of the newest piece while more rows of it are to come, to be combined into one; otherwise NaN. */
  tiedMs = Number.NaN

  constructor(
    direction: Direction,
    columns: () => readonly CopiedColumn[],
    replaced: readonly ReplacedColumn[] | null,
  ) {
    this.#direction = direction
    this.#columns = columns
    this.#replaced = replaced
  }

  get isEmpty(): boolean {
    return this.#rows === 0
  }

  /** Returns true when the pieces are to be taken. `isTied`: the piece is one row, and another row of its date follows. */
  add(piece: RowSlice, isTied: boolean): boolean {
    this.#pieces.push(piece)
    this.#rows += piece.end - piece.start
    this.tiedMs = isTied ? piece.chunk.times[piece.start] : Number.NaN
    if (isTied) this.#hasTies = true
    return !isTied && this.#rows >= this.#rowsWanted
  }

  take(): RowSlice {
    const pieces = this.#direction === 'forward' ? this.#pieces : this.#pieces.reverse()
    const rows = this.#rows
    this.#pieces = []
    this.#rows = 0
    this.#rowsWanted = Math.min(gatheredRowsMax, this.#rowsWanted * 2)
    if (pieces.length === 1) return pieces[0]
    const chunk = new GatheredChunk(pieces, rows, this.#columns())
    const replaced = this.#hasTies ? this.#replaced : null
    this.#hasTies = false
    return { chunk, start: 0, end: replaced === null ? rows : replaceRows(chunk, rows, replaced) }
  }
}

class GatheredChunk implements Chunk {
  readonly times: Float64Array
  readonly columns: Chunk['columns'] = []
  readonly #pieces: readonly RowSlice[]
  #positions: Float64Array | null = null

  constructor(pieces: readonly RowSlice[], rows: number, columns: readonly CopiedColumn[]) {
    this.times = new Float64Array(rows)
    this.#pieces = pieces
    let place = 0
    for (const { chunk, start, end } of pieces) {
      copyRowsInto(this, place, chunk, start, end, columns)
      place += end - start
    }
  }

  get positions(): Float64Array {
    this.#positions ??= this.#gatherPositions()
    return this.#positions
  }

  #gatherPositions(): Float64Array {
    const positions = new Float64Array(this.times.length)
    let place = 0
    for (const { chunk, start, end } of this.#pieces) {
      positions.set(chunk.positions.subarray(start, end), place)
      place += end - start
    }
    return positions
  }
}
