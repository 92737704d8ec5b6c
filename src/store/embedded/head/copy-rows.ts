// Copies rows whose strings may belong to several dictionaries.
import type { ColumnType } from '../../../model/column.ts'
import { type Chunk, type ChunkColumn, exactOf, newColumn } from './chunk.ts'
import type { Dictionary } from './dictionary.ts'

/** A column to copy, and the dictionary that its strings are translated to. */
export interface CopiedColumn {
  readonly index: number
  readonly type: ColumnType
  readonly dictionary: Dictionary
}

/** Copies rows [start, end) of `from` to `to`, from row `place` on. Positions are left to the caller, since reading them can be expensive. */
export function copyRowsInto(
  to: Chunk,
  place: number,
  from: Chunk,
  start: number,
  end: number,
  columns: readonly CopiedColumn[],
): void {
  if (end - start === 1) to.times[place] = from.times[start]
  else to.times.set(from.times.subarray(start, end), place)
  for (const { index, type, dictionary } of columns) {
    const source = from.columns[index]
    if (source === undefined) continue
    const target = to.columns[index] ?? newColumn(type, to.times.length, dictionary.strings)
    to.columns[index] = target
    copyValues(source, start, end, target, place, dictionary)
  }
}

function copyValues(
  from: ChunkColumn,
  start: number,
  end: number,
  to: ChunkColumn,
  place: number,
  dictionary: Dictionary,
): void {
  if (from.type === 'string') {
    if (to.type !== 'string') throw new Error('a column keeps its type')
    for (let row = start; row < end; row++) {
      to.codes[place + row - start] = dictionary.codeFrom(from.dictionary, from.codes[row])
    }
    return
  }
  if (to.type === 'string') throw new Error('a column keeps its type')
  if (end - start === 1) to.values[place] = from.values[start]
  else to.values.set(from.values.subarray(start, end), place)
  if (from.type === 'boolean' || to.type === 'boolean' || from.exact === null) return
  exactOf(to).set(from.exact.subarray(start, end), place)
}
