// The number of distinct values of each group: of a tag, which all rows of a series share, or of a column of strings or numbers.
import type { GroupValue } from '../../../algebra/aggregation.ts'
import { nullCode } from '../../../model/column.ts'
import type { Chunk, NumberColumn } from '../head/chunk.ts'
import type { FieldAccessor, FieldKey } from '../run/field-accessor.ts'
import { NeedsSqlEngine } from './needs-sql-engine.ts'

/** The limit for all groups together: some dozens of megabytes. */
const distinctMax = 1_000_000

export class DistinctCount {
  readonly #accessor: FieldAccessor
  readonly #countsEmpty: boolean
  /** By group: the codes or numbers found. */
  readonly #values: Set<FieldKey>[] = []
  #count = 0

  constructor(accessor: FieldAccessor, countsEmpty: boolean) {
    this.#accessor = accessor
    this.#countsEmpty = countsEmpty
  }

  addRows(group: number, chunk: Chunk, start: number, end: number, series: number): void {
    const accessor = this.#accessor
    if (accessor.kind !== 'column') {
      this.#addSeries(group, series)
      return
    }
    const column = chunk.columns[accessor.index]
    if (column === undefined || column.type === 'boolean') return
    if (column.type !== 'string') {
      this.#addNumbers(group, column, start, end)
      return
    }
    let before = nullCode
    for (let row = start; row < end; row++) {
      const code = column.codes[row]
      if (code === before || code === nullCode) continue
      before = code
      this.#addCode(group, accessor.dictionary.codeFrom(column.dictionary, code))
    }
  }

  #addNumbers(group: number, { values, exact }: NumberColumn, start: number, end: number): void {
    for (let row = start; row < end; row++) {
      const value = values[row]
      if (Number.isNaN(value)) continue
      this.#add(group, exact !== null && Math.abs(value) >= 2 ** 53 ? exact[row] : value)
    }
  }

  /** The rollups of an hour do not list values, so only tags are known. */
  canUseHour(): boolean {
    return this.#accessor.kind !== 'column'
  }

  addHour(group: number, _: unknown, __: number, ___: number, series: number): void {
    this.#addSeries(group, series)
  }

  value(group: number): GroupValue {
    return BigInt(this.#values[group]?.size ?? 0)
  }

  #addSeries(group: number, series: number): void {
    if (this.#accessor.kind !== 'tag') return
    const code = this.#accessor.tag.codes.values[series]
    if (code >= 0) this.#addCode(group, code)
  }

  #addCode(group: number, code: number): void {
    const accessor = this.#accessor
    if (accessor.kind === 'time') throw new Error('the time is no text')
    if (this.#countsEmpty || accessor.dictionary.strings[code] !== '') this.#add(group, code)
  }

  #add(group: number, value: FieldKey): void {
    const known = this.#values[group]
    if (known?.has(value) === true) return
    if (++this.#count > distinctMax) throw new NeedsSqlEngine()
    if (known === undefined) this.#values[group] = new Set([value])
    else known.add(value)
  }
}
