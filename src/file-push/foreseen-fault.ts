// Predicts the faults that the service's validator will find in a row, before it is pushed. A property test compares them with the validator's.

import { hasHalfPair } from '../lib/half-pairs.ts'
import { jsonMembers } from '../lib/json-members.ts'
import { type Field, identifierBytesMax, isName, isRequired, namePattern } from '../model/field.ts'
import { earliestMs, latestMs, parseInstant } from '../model/instant.ts'
import { parseLong } from '../model/long.ts'
import {
  identifierTooLarge,
  noFieldOf,
  noObject,
  noSuchField,
  type RowFault,
  rowTooLarge,
  valueMissing,
  valueOfWrongType,
  valueOutOfRange,
} from '../model/row-fault.ts'

type Verdict = 'stored' | 'missing' | 'wrong' | 'range' | 'large'

/** The default of `limits.rowBytes`; an operator may have changed it. */
const rowBytesUsual = 1024 * 1024

const bytesIn = (text: string): number => new TextEncoder().encode(text).length

function verdictOfNumber(type: Field['type'], text: string): Verdict {
  if (type === 'double') return Number.isFinite(Number(text)) ? 'stored' : 'range'
  if (type !== 'long' && type !== 'timestamp') return 'wrong'
  const long = parseLong(text)
  if (long === 'not_whole') return 'wrong'
  if (long === 'out_of_range') return 'range'
  return type === 'timestamp' && (long < earliestMs || long > latestMs) ? 'range' : 'stored'
}

function verdictOfText({ type, role }: Field, value: string): Verdict {
  if (type === 'timestamp') return parseInstant(value) === null ? 'wrong' : 'stored'
  if (type !== 'string' || hasHalfPair(value)) return 'wrong'
  if (role !== 'index') return 'stored'
  if (value === '') return 'missing'
  return bytesIn(value) > identifierBytesMax ? 'large' : 'stored'
}

/** `text` is the JSON of the value. */
function verdictOf(field: Field, text: string): Verdict {
  if (text === 'null') return 'missing'
  if (field.type === 'json') return 'stored'
  if (text === 'true' || text === 'false') return field.type === 'boolean' ? 'stored' : 'wrong'
  if (text.startsWith('"')) return verdictOfText(field, JSON.parse(text))
  if (text.startsWith('{') || text.startsWith('[')) return 'wrong'
  return verdictOfNumber(field.type, text)
}

function faultOfValue(field: Field, verdict: Exclude<Verdict, 'stored' | 'missing'>, text: string): RowFault {
  if (verdict === 'large') return identifierTooLarge(field)
  return verdict === 'range' ? valueOutOfRange(field, text) : valueOfWrongType(field, text)
}

/** The time comes first, then the tags in the order of the fields. */
function absencesIn(fields: readonly Field[], named: ReadonlySet<string>): RowFault[] {
  const absent = fields.filter((field) => isRequired(field) && !named.has(field.source))
  const isTime = ({ role }: Field): boolean => role === 'time'
  return [...absent.filter(isTime), ...absent.filter((field) => !isTime(field))].map(valueMissing)
}

/** The fault of a property that is not a field. Only the validator knows all rules by which an open ingest adds fields. */
function faultOfName(name: string, value: string, isOpen: boolean): RowFault | null {
  if (!isOpen) return noSuchField(name)
  return value === 'null' || isName(name) ? null : noFieldOf(name, `a name must match ${namePattern}`)
}

/** All faults of a row, computed lazily, beginning with the one that it will be rejected for; none for a good row. `row` is valid JSON. */
export function* foreseenFaults(row: string, fields: readonly Field[], isOpen = false): Generator<RowFault, undefined> {
  const text = row.trim()
  const bytes = bytesIn(text)
  if (bytes > rowBytesUsual) return yield rowTooLarge(bytes, rowBytesUsual)
  if (!text.startsWith('{')) return yield noObject(text)
  const bySource = new Map(fields.map((field) => [field.source, field]))
  const named = new Set<string>()
  for (const [name, value] of new Map(jsonMembers(text).map((member) => [member.name, member.value]))) {
    const field = bySource.get(name)
    if (field === undefined) {
      const fault = faultOfName(name, value, isOpen)
      if (fault !== null) yield fault
      continue
    }
    const verdict = verdictOf(field, value)
    if (verdict === 'missing') continue
    named.add(name)
    if (verdict !== 'stored') yield faultOfValue(field, verdict, value)
  }
  yield* absencesIn(fields, named)
}

/** The fault for which a row will be rejected, or null if it will be stored. `row` is valid JSON. */
export function foreseenFault(row: string, fields: readonly Field[], isOpen = false): RowFault | null {
  return foreseenFaults(row, fields, isOpen).next().value ?? null
}
