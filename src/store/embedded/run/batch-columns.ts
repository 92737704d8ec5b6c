import type { ColumnVector } from '../../../model/column.ts'
import type { Dictionary } from '../head/dictionary.ts'

/**
 * The memory of one column of the batches of a run, overwritten by each batch. Allocating it for each would make megabytes of garbage a second,
 * collected only in long pauses.
 */
export class BatchColumns {
  #numbers = new Float64Array(0)
  #codes = new Int32Array(0)
  #flags = new Uint8Array(0)

  numbers(rows: number): Float64Array {
    if (this.#numbers.length < rows) this.#numbers = new Float64Array(rows)
    return this.#numbers.subarray(0, rows)
  }

  codes(rows: number): Int32Array {
    if (this.#codes.length < rows) this.#codes = new Int32Array(rows)
    return this.#codes.subarray(0, rows)
  }

  flags(rows: number): Uint8Array {
    if (this.#flags.length < rows) this.#flags = new Uint8Array(rows)
    return this.#flags.subarray(0, rows)
  }
}

/** A column of nulls. */
export function nulls(
  type: ColumnVector['type'],
  rows: number,
  dictionary: Dictionary,
  room = new BatchColumns(),
): ColumnVector {
  switch (type) {
    case 'string':
      return { type, codes: room.codes(rows).fill(-1), dictionary: dictionary.strings }
    case 'boolean':
      return { type, values: room.flags(rows).fill(2) }
    case 'long':
      return { type, values: room.numbers(rows).fill(Number.NaN), exact: null }
    default:
      return { type, values: room.numbers(rows).fill(Number.NaN) }
  }
}
