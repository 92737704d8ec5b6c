import { compareCodePoints } from '../lib/compare-code-points.ts'
import { type ColumnType, type ColumnVector, nullBoolean, nullCode } from '../model/column.ts'
import type { FieldType } from '../model/field.ts'

/** A column that grows value by value. */
export interface ColumnBuilder {
  /** Booleans may be 0 and 1, longs may be strings of digits. */
  push(value: unknown): void
  /** Null first, strings by code point, false before true. */
  compare(left: number, right: number): number
  /** The values at these indexes. */
  pick(places: Int32Array): ColumnVector
  /** The total length of its distinct strings in characters, each of which takes at least one byte; 0 for other types. */
  readonly textChars: number
}

export function newColumnBuilder(type: FieldType): ColumnBuilder {
  switch (type) {
    case 'string':
      return new StringBuilder()
    case 'boolean':
      return new BooleanBuilder()
    case 'long':
      return new LongBuilder()
    case 'double':
    case 'timestamp':
      return new NumberBuilder(type)
    default:
      throw new Error(`a series entity has no ${type} field`)
  }
}

const firstLength = 1024

function grown<Values extends Float64Array | BigInt64Array | Int32Array | Uint8Array>(
  values: Values,
  copy: Values,
): Values {
  if (values instanceof BigInt64Array && copy instanceof BigInt64Array) copy.set(values)
  else if (!(values instanceof BigInt64Array) && !(copy instanceof BigInt64Array)) copy.set(values)
  return copy
}

/** `NaN` represents null, and sorts first. */
function compareNumbers(left: number, right: number): number {
  if (left < right) return -1
  if (left > right) return 1
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left))
}

class NumberBuilder implements ColumnBuilder {
  readonly textChars = 0
  readonly #type: Extract<ColumnType, 'double' | 'timestamp'>
  #values = new Float64Array(firstLength)
  #length = 0

  constructor(type: Extract<ColumnType, 'double' | 'timestamp'>) {
    this.#type = type
  }

  push(value: unknown): void {
    if (this.#length === this.#values.length) this.#values = grown(this.#values, new Float64Array(this.#length * 2))
    this.#values[this.#length++] = value === null || value === undefined ? Number.NaN : Number(value)
  }

  /** One value per row. */
  get values(): Float64Array {
    return this.#values.subarray(0, this.#length)
  }

  compare(left: number, right: number): number {
    return compareNumbers(this.#values[left], this.#values[right])
  }

  pick(places: Int32Array): ColumnVector {
    return { type: this.#type, values: Float64Array.from(places, (place) => this.#values[place]) }
  }
}

class LongBuilder implements ColumnBuilder {
  readonly textChars = 0
  #values = new Float64Array(firstLength)
  /** Set when the first value arrives that a double cannot hold exactly; null until then. */
  #exact: BigInt64Array | null = null
  #length = 0

  push(value: unknown): void {
    const at = this.#length
    if (at === this.#values.length) {
      this.#values = grown(this.#values, new Float64Array(at * 2))
      if (this.#exact !== null) this.#exact = grown(this.#exact, new BigInt64Array(at * 2))
    }
    this.#length++
    if (value === null || value === undefined) {
      this.#values[at] = Number.NaN
      return
    }
    const number = Number(value)
    this.#values[at] = number
    if (this.#exact === null) {
      if (Number.isSafeInteger(number)) return
      this.#exact = BigInt64Array.from(this.#values, (known) => (Number.isFinite(known) ? BigInt(known) : 0n))
    }
    this.#exact[at] = typeof value === 'string' || typeof value === 'bigint' ? BigInt(value) : BigInt(number)
  }

  compare(left: number, right: number): number {
    const order = compareNumbers(this.#values[left], this.#values[right])
    if (order !== 0 || this.#exact === null || Number.isNaN(this.#values[left])) return order
    const [a, b] = [this.#exact[left], this.#exact[right]]
    return a < b ? -1 : a > b ? 1 : 0
  }

  pick(places: Int32Array): ColumnVector {
    const exact = this.#exact
    return {
      type: 'long',
      values: Float64Array.from(places, (place) => this.#values[place]),
      exact: exact && BigInt64Array.from(places, (place) => exact[place]),
    }
  }
}

class StringBuilder implements ColumnBuilder {
  textChars = 0
  readonly #codeOf = new Map<string, number>()
  readonly #dictionary: string[] = []
  #codes = new Int32Array(firstLength)
  #length = 0
  /** The rank of each string by code point; null until it is needed, and again after a string is added. */
  #ranks: Int32Array | null = null

  push(value: unknown): void {
    if (this.#length === this.#codes.length) this.#codes = grown(this.#codes, new Int32Array(this.#length * 2))
    this.#codes[this.#length++] = value === null || value === undefined ? nullCode : this.#code(String(value))
  }

  compare(left: number, right: number): number {
    const a = this.#codes[left]
    const b = this.#codes[right]
    if (a === b) return 0
    if (a === nullCode || b === nullCode) return a === nullCode ? -1 : 1
    this.#ranks ??= ranksOf(this.#dictionary)
    return this.#ranks[a] - this.#ranks[b]
  }

  pick(places: Int32Array): ColumnVector {
    return {
      type: 'string',
      codes: Int32Array.from(places, (place) => this.#codes[place]),
      dictionary: this.#dictionary,
    }
  }

  #code(text: string): number {
    const known = this.#codeOf.get(text)
    if (known !== undefined) return known
    const code = this.#dictionary.push(text) - 1
    this.#codeOf.set(text, code)
    this.#ranks = null
    this.textChars += text.length
    return code
  }
}

function ranksOf(dictionary: readonly string[]): Int32Array {
  const order = dictionary.map((_, code) => code).sort((a, b) => compareCodePoints(dictionary[a], dictionary[b]))
  const ranks = new Int32Array(dictionary.length)
  order.forEach((code, rank) => {
    ranks[code] = rank
  })
  return ranks
}

class BooleanBuilder implements ColumnBuilder {
  readonly textChars = 0
  #values = new Uint8Array(firstLength)
  #length = 0

  push(value: unknown): void {
    if (this.#length === this.#values.length) this.#values = grown(this.#values, new Uint8Array(this.#length * 2))
    this.#values[this.#length++] = value === null || value === undefined ? nullBoolean : Number(value)
  }

  compare(left: number, right: number): number {
    return rankOf(this.#values[left]) - rankOf(this.#values[right])
  }

  pick(places: Int32Array): ColumnVector {
    return { type: 'boolean', values: Uint8Array.from(places, (place) => this.#values[place]) }
  }
}

function rankOf(value: number): number {
  return value === nullBoolean ? -1 : value
}
