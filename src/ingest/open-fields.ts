// Fields that rows bring to an open ingest, one row at a time. Tested by `src/ingest/open-fields.test.ts`.
import { hasHalfPair } from '../lib/half-pairs.ts'
import { type Field, type FieldType, isName, isReservedInSeries, namePattern } from '../model/field.ts'
import { noFieldOf, noSuchField, type RowFault, tooManyFields } from '../model/row-fault.ts'
import { lowerF, lowerN, lowerT, quote } from './scan/ascii.ts'
import { beginsNumber } from './scan/read-number.ts'
import { skipValue } from './scan/skip.ts'

/** What an open ingest goes by. */
export interface OpenRules {
  /** The most fields of an ingest. */
  readonly fieldsMax: number
  /** Why fields could not be made, by the names of their properties. */
  readonly refused: ReadonlyMap<string, string>
}

/** Notes what fields a row brings that the ingest does not have. */
export class BroughtFields {
  readonly #rules: OpenRules
  readonly #names: ReadonlySet<string>
  #fields: Field[] = []
  #longs: ReadonlySet<string> = new Set()

  constructor(fields: readonly Field[], rules: OpenRules) {
    this.#rules = rules
    this.#names = new Set(fields.map(({ name }) => name))
  }

  /** Those of the row, in its order. */
  get fields(): readonly Field[] {
    return this.#fields
  }

  /** Begins a row; `longs` are properties of a line whose numbers are whole. */
  begin(longs: ReadonlySet<string> = new Set()): void {
    this.#fields = []
    this.#longs = longs
  }

  /** Takes the value at `at` for a property that the ingest has no field for. A null is passed over. */
  take(name: string, bytes: Buffer, at: number): RowFault | null {
    if (bytes[at] === lowerN) return null
    const type = this.#typeOf(name, bytes, at)
    if (type === null) return noSuchField(name)
    const why = this.#refusal(name)
    if (why !== null) return noFieldOf(name, why)
    if (this.#names.size + this.#fields.length >= this.#rules.fieldsMax) {
      return tooManyFields(name, this.#rules.fieldsMax)
    }
    this.#fields.push({ name, source: name, type, role: type === 'string' ? 'dimension' : 'metric' })
    return null
  }

  #refusal(name: string): string | null {
    if (!isName(name)) return `a name must match ${namePattern}`
    if (isReservedInSeries(name)) return 'the name has another meaning in answers'
    if (this.#names.has(name)) return 'another property is stored under this name'
    return this.#rules.refused.get(name) ?? null
  }

  /** Null of what no field can hold. */
  #typeOf(name: string, bytes: Buffer, at: number): FieldType | null {
    const byte = bytes[at]!
    if (byte === lowerT || byte === lowerF) return 'boolean'
    const text = bytes.toString('utf8', at, skipValue(bytes, at))
    if (byte === quote) return hasHalfPair(JSON.parse(text)) ? null : 'string'
    if (!beginsNumber(byte) || !Number.isFinite(Number(text))) return null
    return this.#longs.has(name) ? 'long' : 'double'
  }
}
