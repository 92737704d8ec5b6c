// The outcome of a pushed row, computed again from the contract alone and without any of the service's own parsing: JSON.parse, one regular expression for
// dates, and BigInt for longs. It keeps no state between rows, so earlier rows cannot affect a result.
import type { Field } from '../../src/model/field.ts'
import type { Ingest } from '../../src/model/ingest.ts'

/** A field whose property the row lacks, where this differs from null. */
export const absent = Symbol('absent')

type Stored = string | number | bigint | boolean | null | typeof absent

export type NaiveOutcome =
  | { readonly stored: readonly Stored[] }
  | { readonly code: string; readonly field: string | null }

const token = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/gs

/** Prefixes keys with `k`, strings with `t` and numbers with `n`, so that keys keep their order and numbers all their digits. */
function marked(row: string): unknown {
  const mark = (text: string, colon?: string): string =>
    text.startsWith('"') ? `"${colon === undefined ? 't' : 'k'}${text.slice(1)}` : `"n${text}"`
  return JSON.parse(row.replace(token, mark))
}

export function validateNaively(row: string, ingest: Ingest, rowBytesMax: number): NaiveOutcome {
  if (Buffer.byteLength(row) > rowBytesMax) return { code: 'too_large', field: null }
  const value = marked(row)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { code: 'not_an_object', field: null }
  const values = new Map<string, Stored>()
  for (const [key, pushed] of Object.entries(value)) {
    const name = key.slice(1)
    const field = ingest.fields.find(({ source }) => source === name)
    if (field === undefined) return { code: 'unknown_field', field: name }
    const read = field.type === 'json' ? jsonOf(pushed) : readValue(field, pushed)
    if (typeof read === 'object' && read !== null) return { code: read.code, field: name }
    values.set(name, read)
  }
  const missing = missingOf(ingest.fields, values)
  if (missing !== null) return missing
  const none = ingest.duplicates === 'replace' ? absent : null
  return { stored: ingest.fields.map(({ source }) => (values.has(source) ? values.get(source)! : none)) }
}

/** Values of json fields are compared only by whether they are null. */
function jsonOf(pushed: unknown): Stored {
  return pushed === null ? null : 'json'
}

function missingOf(fields: readonly Field[], values: ReadonlyMap<string, Stored>): NaiveOutcome | null {
  for (const [role, code] of [
    ['time', 'missing_time'],
    ['index', 'missing_index'],
    ['tag', 'missing_tag'],
  ] as const) {
    const isMissing = ({ source }: Field): boolean => {
      const value = values.get(source) ?? null
      return value === null || (role === 'index' && value === '')
    }
    const field = fields.find((one) => one.role === role && isMissing(one))
    if (field !== undefined) return { code, field: field.source }
  }
  return null
}

type Fault = { readonly code: string }
const wrong: Fault = { code: 'wrong_type' }
const range: Fault = { code: 'out_of_range' }

function readValue({ type, role }: Field, pushed: unknown): Stored | Fault {
  if (pushed === null) return null
  if (typeof pushed === 'boolean') return type === 'boolean' ? pushed : role === 'time' ? invalidTime : wrong
  const read = typeof pushed === 'string' ? readScalar(type, pushed[0]!, pushed.slice(1)) : wrong
  if (read === wrong && role === 'time') return invalidTime
  const isLong = role === 'index' && typeof read === 'string' && Buffer.byteLength(read) > 2048
  return isLong ? { code: 'too_large' } : read
}

const invalidTime: Fault = { code: 'invalid_time' }

function readScalar(type: Field['type'], kind: string, text: string): Stored | Fault {
  if (kind === 't') {
    if (type === 'string') return Buffer.from(text).toString() === text ? text : wrong
    return (type === 'timestamp' ? readDate(text) : null) ?? wrong
  }
  if (type === 'double') return Number.isFinite(Number(text)) ? Number(text) : range
  if (type !== 'long' && type !== 'timestamp') return wrong
  const whole = wholeOf(text)
  if (whole === null) return wrong
  if (type === 'timestamp') return whole < firstMs || whole > lastMs ? range : Number(whole)
  if (BigInt.asIntN(64, whole) !== whole) return range
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : whole
}

/** Null for a number that is not an integer. Exponents are small here. */
function wholeOf(text: string): bigint | null {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const power = Number(exponent) - fraction.length
  const digits = BigInt(whole + fraction)
  const divisor = 10n ** BigInt(Math.max(0, -power))
  return digits % divisor === 0n ? (digits / divisor) * 10n ** BigInt(Math.max(0, power)) : null
}

const firstMs = Date.UTC(2000, 0, 1) - 730_119 * 86_400_000
const lastMs = Date.UTC(10_000, 0, 1) - 1
const date =
  /^(?<y>\d{4})(?<dash>-?)(?<mo>\d\d)\k<dash>(?<d>\d\d)(?:[Tt ](?<h>\d\d)(?<colon>:?)(?<mi>\d\d)(?:\k<colon>(?<s>\d\d)(?:[.,](?<f>\d+))?)?(?<zone>[Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

function readDate(text: string): number | null {
  const parts = date.exec(text.trim())?.groups
  if (parts === undefined) return null
  // Date and time are either both with separators, or both without.
  if (parts['h'] !== undefined && (parts['dash'] === '') !== (parts['colon'] === '')) return null
  const [year, month, day, hour, minute, second] = ['y', 'mo', 'd', 'h', 'mi', 's'].map((name) =>
    Number(parts[name] ?? 0),
  ) as [number, number, number, number, number, number]
  const instant = new Date(0)
  instant.setUTCFullYear(year, month - 1, day)
  if (year < 1 || instant.getUTCMonth() !== month - 1 || instant.getUTCDate() !== day) return null
  const offset = offsetOf(parts['zone'] ?? 'Z')
  if (offset === null) return null
  const ms = Math.floor(Number(`0.${parts['f'] ?? '0'}`.slice(0, 5)) * 1000 + 0.5)
  // 24:00 is midnight of the next day.
  const isMidnight = hour === 24 && minute === 0 && second === 0 && ms === 0
  if ((hour > 23 && !isMidnight) || minute > 59 || second > 59) return null
  const all = instant.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + ms
  return all < firstMs || all > lastMs ? null : all
}

/** In minutes. */
function offsetOf(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)]
  if (hours > 23 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}
