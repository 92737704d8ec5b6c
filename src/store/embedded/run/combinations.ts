import type { Chunk } from '../head/chunk.ts'
import { compareKeys, type FieldReader, type Key, keyAt } from './field-reader.ts'

/** A branch of the tree of combinations: by the value of one field, the next branch, or the combination's number at the last one. */
type Branch = Map<Key, Branch | number>

/** The combinations of values of some fields that occur, numbered as they are met. Without fields there is one: 0. */
export class Combinations {
  readonly #fields: readonly FieldReader[]
  readonly #root: Branch = new Map()
  readonly #keys: Key[][] = []

  constructor(fields: readonly FieldReader[]) {
    this.#fields = fields
  }

  at(chunk: Chunk, row: number, series: number): number {
    let branch = this.#root
    const last = this.#fields.length - 1
    for (let index = 0; index < last; index++) {
      const key = keyAt(this.#fields[index], chunk, row, series)
      const known = branch.get(key)
      const next: Branch = known instanceof Map ? known : new Map()
      if (known === undefined) branch.set(key, next)
      branch = next
    }
    if (last < 0) return 0
    const key = keyAt(this.#fields[last], chunk, row, series)
    const known = branch.get(key)
    if (typeof known === 'number') return known
    const combination = this.#keys.length
    branch.set(key, combination)
    this.#keys.push(this.#fields.map((field) => keyAt(field, chunk, row, series)))
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

  /** The value of field number `index` in a combination. */
  key(combination: number, index: number): Key {
    return this.#keys[combination][index]
  }

  /** Orders two combinations by their values. */
  readonly compare = (left: number, right: number): number => {
    for (let index = 0; index < this.#fields.length; index++) {
      const order = compareKeys(this.#fields[index], this.#keys[left][index], this.#keys[right][index])
      if (order !== 0) return order
    }
    return 0
  }
}
