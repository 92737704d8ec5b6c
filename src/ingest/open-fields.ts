// Fields that rows bring to an open ingest, one row at a time. Tested by `src/ingest/open-fields.test.ts`.

import { lowerF, lowerN, lowerT, openBrace, openBracket, quote } from '../lib/ascii.ts'
import { hasHalfPair } from '../lib/half-pairs.ts'
import { type Field, type FieldType, isName, isReservedInSeries, namePattern } from '../model/field.ts'
import type { KnownFields } from '../model/known-fields.ts'
import { noFieldOf, type RowFault, tooManyFields } from '../model/row-fault.ts'
import { FieldColumn } from './columns/field-column.ts'
import { beginsNumber } from './scan/read-number.ts'
import { faultOf, readValue } from './scan/read-value.ts'
import { skipValue } from './scan/skip.ts'
import { TimestampParser } from './scan/timestamps.ts'

/** The rules of an open ingest. */
export interface OpenRules {
  /** The most fields of an ingest. */
  readonly fieldsMax: number
  readonly standing: KnownFields
}

/** Collects the fields that a row brings in addition to those of its ingest. */
export class AddedFields {
  readonly #rules: OpenRules
  readonly #timestamps = new TimestampParser()
  #fields: Field[] = []
  /** How many of the fields are new to the ingest. */
  #fresh = 0
  #longs: ReadonlySet<string> = new Set()

  constructor(rules: OpenRules) {
    this.#rules = rules
  }

  /** The fields that the row brings, in its order. */
  get fields(): readonly Field[] {
    return this.#fields
  }

  /** Begins a row; `longs` names the properties of a line whose numbers were longs. */
  begin(longs: readonly string[] = []): void {
    this.#fields = []
    this.#fresh = 0
    this.#longs = new Set(longs)
  }

  /** Reads the value at `at` of a property for which the row has no field. A null is skipped. */
  take(name: string, bytes: Buffer, at: number): RowFault | null {
    if (bytes[at] === lowerN) return null
    const field = this.#fieldOf(name, bytes, at)
    if ('code' in field) return field
    const fault = this.#faultOf(field, bytes, at)
    if (fault === null) this.#fields.push(field)
    return fault
  }

  #fieldOf(name: string, bytes: Buffer, at: number): Field | RowFault {
    const { standing, fieldsMax } = this.#rules
    const found = standing.of(name)
    if (standing.has(name) && found !== null && 'field' in found) return found.field
    const type = this.#typeOf(name, bytes, at)
    if (type === null) {
      const isNested = bytes[at] === openBrace || bytes[at] === openBracket
      return noFieldOf(name, isNested ? 'its value is an object or a list' : 'a field cannot hold its value')
    }
    if (!isName(name)) return noFieldOf(name, `a name must match ${namePattern}`)
    if (isReservedInSeries(name)) return noFieldOf(name, 'the name is reserved in answers')
    if (found !== null && 'refused' in found) return noFieldOf(name, found.refused)
    if (standing.size + this.#fresh >= fieldsMax) return tooManyFields(name, fieldsMax)
    this.#fresh++
    return found?.field ?? { name, source: name, type, role: type === 'string' ? 'dimension' : 'metric' }
  }

  /** The fault of the value for its new field; null if it is valid. */
  #faultOf(field: Field, bytes: Buffer, at: number): RowFault | null {
    const column = new FieldColumn(field, 0)
    column.begin(1, 1)
    const end = readValue(bytes, at, column, 0, this.#timestamps)
    return end >= 0 ? null : faultOf(end, column, bytes.toString('utf8', at, skipValue(bytes, at)))
  }

  /** Null if no field can have the value. */
  #typeOf(name: string, bytes: Buffer, at: number): FieldType | null {
    const byte = bytes[at]!
    if (byte === lowerT || byte === lowerF) return 'boolean'
    const text = bytes.toString('utf8', at, skipValue(bytes, at))
    if (byte === quote) return hasHalfPair(JSON.parse(text)) ? null : 'string'
    if (!beginsNumber(byte) || !Number.isFinite(Number(text))) return null
    return this.#longs.has(name) ? 'long' : 'double'
  }
}
