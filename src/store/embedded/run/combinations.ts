import { LargeMap } from '../../../lib/large-map.ts'
import type { Chunk, ChunkColumn } from '../head/chunk.ts'
import { type FieldAccessor, type FieldKey, keyAt } from './field-accessor.ts'

/** A branch of the tree of combinations. It maps the value of one field to the next branch, or at the last field to the combination's number. */
type Branch = LargeMap<FieldKey, Branch | number>

/** Rows are compared in blocks of this size: where one field changes with every row, the others are scanned again from each. */
const sameRowsMax = 64

/** The combinations of values of at least one field, numbered in the order they are found. */
export class Combinations {
  readonly #fields: readonly FieldAccessor[]
  readonly #root: Branch = new LargeMap()
  /** By field, then by combination. An object for each of a million combinations would burden the garbage collector. */
  readonly #keys: readonly FieldKey[][]
  #count = 0

  constructor(fields: readonly FieldAccessor[]) {
    this.#fields = fields
    this.#keys = fields.map(() => [])
  }

  at(chunk: Chunk, row: number, series: number): number {
    let branch = this.#root
    const last = this.#fields.length - 1
    for (let index = 0; index < last; index++) {
      const key = keyAt(this.#fields[index], chunk, row, series)
      const known = branch.get(key)
      const next: Branch = known instanceof LargeMap ? known : new LargeMap()
      if (known === undefined) branch.add(key, next)
      branch = next
    }
    const key = keyAt(this.#fields[last], chunk, row, series)
    const known = branch.get(key)
    if (typeof known === 'number') return known
    const combination = this.#count++
    branch.add(key, combination)
    for (let index = 0; index <= last; index++) this.#keys[index].push(keyAt(this.#fields[index], chunk, row, series))
    return combination
  }

  /** The first row after `row` whose values differ; `end` if there is none. It may be too early for nulls: a null number equals nothing. */
  sameUntil(chunk: Chunk, row: number, end: number): number {
    for (let from = row; ; from += sameRowsMax) {
      const to = Math.min(end, from + sameRowsMax)
      let until = to
      for (const field of this.#fields) {
        const column = field.kind === 'column' ? chunk.columns[field.index] : undefined
        if (column !== undefined) until = valuesUntil(column, row, from, until)
      }
      if (until < to || to === end) return until
    }
  }

  /** The value of field number `index` in a combination. */
  key(combination: number, index: number): FieldKey {
    return this.#keys[index][combination]
  }
}

/** The first of rows [from, end) whose value differs from that of `row`; `end` if there is none. */
function valuesUntil(column: ChunkColumn, row: number, from: number, end: number): number {
  const values = column.type === 'string' ? column.codes : column.values
  const value = values[row]
  const exact = column.type === 'long' ? column.exact : null
  // A null number equals nothing, so its rows are handled one by one.
  let next = Math.max(from, row + 1)
  while (next < end && values[next] === value) next++
  if (exact === null) return next
  let same = Math.max(from, row + 1)
  while (same < next && exact[same] === exact[row]) same++
  return same
}
