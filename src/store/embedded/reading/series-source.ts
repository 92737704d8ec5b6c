import type { Pacer } from '../../../lib/pacer.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { SliceVisitor } from '../head/series-rows.ts'

/**
 * The input of plans: one state of the series of an entity. A table is a source, and so are several tables and sealed files together. A series'
 * rows are ordered by time, then position.
 */
export interface SeriesSource {
  /** Null when the rows of a series can be read at once; otherwise a promise to await before reading them. */
  prepare(series: number, pacer: Pacer): Promise<void> | null
  /** Visits the rows within the range, both ends included, newest slice first, until the visitor returns false. */
  backward(series: number, fromMs: number, toMs: number, visit: SliceVisitor): void
  /** The same as an iterable, for walks that may be long: a visitor cannot rest. */
  runBackward(series: number, fromMs: number, toMs: number): Iterable<RowSlice>
  /** The rows within the range, oldest slice first; pages of files are read as their slices are taken. */
  run(series: number, fromMs: number, toMs: number): Iterable<RowSlice>
}
