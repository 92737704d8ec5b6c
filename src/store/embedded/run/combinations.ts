import { LargeMap } from '../../../lib/large-map.ts'
import type { Chunk, ChunkColumn } from '../head/chunk.ts'
import { compareKeys, type FieldAccessor, type FieldKey, keyAt } from './field-accessor.ts'

/** A branch of the tree of combinations: by the value of one field, the next branch, or the combination's number at the last one. */
type Branch = LargeMap<FieldKey, Branch | number>

/** The combinations of values of some fields that occur, numbered as they are met. Without fields there is one: 0. */
export class Combinations {
  readonly #fields: readonly FieldAccessor[]
  readonly #root: Branch = new LargeMap()
  /** By field, then by combination: an object for each of a million would be work for the garbage collector. */
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
    if (last < 0) return 0
    const key = keyAt(this.#fields[last], chunk, row, series)
    const known = branch.get(key)
    if (typeof known === 'number') return known
    const combination = this.#count++
    branch.add(key, combination)
    for (let index = 0; index <= last; index++) this.#keys[index].push(keyAt(this.#fields[index], chunk, row, series))
    return combination
  }

  /** Whether two rows of one series hold the same values, as far as is seen without looking them up. */
  isSame(chunk: Chunk, left: number, right: number): boolean {
    for (const field of this.#fields) {
      if (field.kind !== 'column') continue
      const column = chunk.columns[field.index]
      if (column === undefined) continue
      if (column.type === 'string') {
        if (column.codes[left] !== column.codes[right]) return false
      } else if (column.values[left] !== column.values[right]) return false
      else if (column.type === 'long' && column.exact !== null && column.exact[left] !== column.exact[right])
        return false
    }
    return true
  }

  /** The first row after `row` whose values are seen to be others; `end` when there is none. */
  sameUntil(chunk: Chunk, row: number, end: number): number {
    let until = end
    for (const field of this.#fields) {
      const column = field.kind === 'column' ? chunk.columns[field.index] : undefined
      if (column !== undefined) until = valuesUntil(column, row, until)
    }
    return until
  }

  /** The value of field number `index` in a combination. */
  key(combination: number, index: number): FieldKey {
    return this.#keys[index][combination]
  }

  /** Orders two combinations by their values. */
  readonly compare = (left: number, right: number): number => {
    for (let index = 0; index < this.#fields.length; index++) {
      const order = compareKeys(this.#fields[index], this.#keys[index][left], this.#keys[index][right])
      if (order !== 0) return order
    }
    return 0
  }
}

function valuesUntil(column: ChunkColumn, row: number, end: number): number {
  const values = column.type === 'string' ? column.codes : column.values
  const value = values[row]
  const exact = column.type === 'long' ? column.exact : null
  let next = row + 1
  // A null number is equal to nothing: its rows are taken one by one.
  while (next < end && values[next] === value) next++
  if (exact === null) return next
  let same = row + 1
  while (same < next && exact[same] === exact[row]) same++
  return same
}
