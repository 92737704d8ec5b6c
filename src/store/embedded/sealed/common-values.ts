// Finds which strings and booleans are the same in all rows of a series, while a file is written.

import { nullBoolean, nullCode } from '../../../model/column.ts'
import type { Chunk, ChunkColumn } from '../head/chunk.ts'
import type { Section } from './index-layout.ts'
import { joinArrays } from './section-writer.ts'
import type { TailColumn } from './tails.ts'

export class CommonValuesBuilder {
  readonly #columns: readonly ColumnValues[]

  /** Only columns of strings and booleans are checked: numbers are hardly ever the same. */
  constructor(columns: readonly TailColumn[]) {
    const looked = columns.filter(({ type }) => type === 'string' || type === 'boolean')
    this.#columns = looked.map((column) => new ColumnValues(column))
  }

  /** Adds the next rows of the current series. */
  add(chunk: Chunk, start: number, end: number): void {
    for (const column of this.#columns) column.add(chunk, start, end)
  }

  endSeries(): void {
    for (const column of this.#columns) column.endSeries()
  }

  *sections(): Generator<Section> {
    for (const column of this.#columns) yield* column.sections()
  }
}

class ColumnValues {
  readonly #column: TailColumn
  /** By series: 1 when all its rows have one value. */
  readonly #flags: number[] = []
  /** The value of the rows of the current series so far; undefined before its first row. */
  #value: string | number | null | undefined = undefined
  #isCommon = true

  constructor(column: TailColumn) {
    this.#column = column
  }

  add(chunk: Chunk, start: number, end: number): void {
    if (!this.#isCommon) return
    const column = chunk.columns[this.#column.index]
    const value = column === undefined ? null : valueIn(column, start)
    this.#isCommon =
      (this.#value === undefined || this.#value === value) && (column === undefined || isSame(column, start, end))
    this.#value = value
  }

  endSeries(): void {
    this.#flags.push(this.#isCommon ? 1 : 0)
    this.#value = undefined
    this.#isCommon = true
  }

  sections(): Section[] {
    if (!this.#flags.includes(1)) return []
    return [{ kind: 'commonValues', column: this.#column.place, bytes: joinArrays([Uint32Array.from(this.#flags)]) }]
  }
}

function valueIn(column: ChunkColumn, row: number): string | number | null {
  if (column.type !== 'string') return column.values[row] === nullBoolean ? null : column.values[row]
  const code = column.codes[row]
  return code === nullCode ? null : column.dictionary[code]
}

function isSame(column: ChunkColumn, start: number, end: number): boolean {
  const values = column.type === 'string' ? column.codes : column.values
  const first = values[start]
  for (let row = start + 1; row < end; row++) if (values[row] !== first) return false
  return true
}
