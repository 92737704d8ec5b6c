// How many different texts a group's rows have: of a tag, which all rows of a series share, or of a dimension.
import type { GroupValue } from '../../../model/aggregation.ts'
import { nullCode } from '../../../model/column.ts'
import type { Chunk } from '../head/chunk.ts'
import type { FieldAccessor } from '../run/field-accessor.ts'
import { TooMuchToDo } from './too-much-to-do.ts'

/** Of all groups together: some dozens of megabytes. */
const distinctMax = 1_000_000

export class DistinctCount {
  readonly #reader: FieldAccessor
  readonly #countsEmpty: boolean
  /** By group, the codes that it has. */
  readonly #codes: Set<number>[] = []
  #count = 0

  constructor(reader: FieldAccessor, countsEmpty: boolean) {
    this.#reader = reader
    this.#countsEmpty = countsEmpty
  }

  addRows(group: number, chunk: Chunk, start: number, end: number, series: number): void {
    const reader = this.#reader
    if (reader.kind !== 'column') {
      this.#addSeries(group, series)
      return
    }
    const column = chunk.columns[reader.index]
    if (column?.type !== 'string') return
    let before = nullCode
    for (let row = start; row < end; row++) {
      const code = column.codes[row]
      if (code === before || code === nullCode) continue
      before = code
      this.#add(group, reader.dictionary.codeFrom(column.dictionary, code))
    }
  }

  /** Only a tag is known of an hour. */
  holdsHour(): boolean {
    return this.#reader.kind !== 'column'
  }

  addHour(group: number, _: unknown, __: number, ___: number, series: number): void {
    this.#addSeries(group, series)
  }

  value(group: number): GroupValue {
    return BigInt(this.#codes[group]?.size ?? 0)
  }

  #addSeries(group: number, series: number): void {
    if (this.#reader.kind !== 'tag') return
    const code = this.#reader.tag.codes.values[series]
    if (code >= 0) this.#add(group, code)
  }

  #add(group: number, code: number): void {
    const known = this.#codes[group]
    if (known?.has(code) === true) return
    const reader = this.#reader
    if (reader.kind === 'time') throw new Error('the time is no text')
    if (!this.#countsEmpty && reader.dictionary.strings[code] === '') return
    if (++this.#count > distinctMax) throw new TooMuchToDo()
    if (known === undefined) this.#codes[group] = new Set([code])
    else known.add(code)
  }
}
