// Reads the parameters of a query as Druid's clients send them, `{"type": "BIGINT", "value": 5}`, as SQL values.
import { formatInstant, parseInstant } from '../model/instant.ts'
import { invalidRequest } from '../model/problem.ts'
import type { SqlValue } from './parse/sql-value.ts'

/** Readers of values by type. They return null for an invalid value. */
const readers: ReadonlyMap<string, (value: unknown) => SqlValue | null> = new Map([
  ...['VARCHAR', 'CHAR', 'LONGVARCHAR'].map((type) => [type, text] as const),
  ...['BIGINT', 'INTEGER', 'SMALLINT', 'TINYINT'].map((type) => [type, whole] as const),
  ...['DOUBLE', 'FLOAT', 'REAL', 'DECIMAL', 'NUMERIC'].map((type) => [type, fraction] as const),
  ...['BOOLEAN', 'BIT'].map((type) => [type, truth] as const),
  ['TIMESTAMP', (value: unknown) => time(value, 'TIMESTAMP')],
  ['DATE', (value: unknown) => time(value, 'DATE')],
  ['ARRAY', list],
])

/** `parameters` as sent, with whole numbers as bigints where doubles cannot represent them. Throws Problem `invalid_request` with the path. */
export function readParameters(parameters: unknown, path = 'parameters'): SqlValue[] {
  if (parameters === undefined || parameters === null) return []
  if (!Array.isArray(parameters)) throw invalidRequest(path, 'must be a list of {"type": ..., "value": ...}')
  return parameters.map((parameter: unknown, index) => read(parameter, `${path}[${index}]`))
}

function read(parameter: unknown, path: string): SqlValue {
  if (typeof parameter !== 'object' || parameter === null || !('type' in parameter))
    throw invalidRequest(path, 'must be an object with `type` and `value`')
  const { type } = parameter
  const value = 'value' in parameter ? parameter.value : null
  const name = typeof type === 'string' ? type.toUpperCase() : ''
  if (name === 'NULL') return { kind: 'null' }
  const reader = readers.get(name)
  if (reader === undefined) throw invalidRequest(`${path}.type`, `must be one of ${[...readers.keys()].join(', ')}`)
  if (value === null || value === undefined) return { kind: 'null' }
  const found = reader(value)
  if (found === null) throw invalidRequest(`${path}.value`, `is not a value of type ${name}`)
  return found
}

function isScalar(value: unknown): value is string | number | bigint | boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}

function text(value: unknown): SqlValue | null {
  return isScalar(value) ? { kind: 'text', value: String(value) } : null
}

const longMin = -(2n ** 63n)

function whole(value: unknown): SqlValue | null {
  const digits = typeof value === 'string' ? value.trim().replace(/^\+/, '') : isScalar(value) ? String(value) : ''
  if (!/^-?\d{1,19}$/.test(digits)) return null
  const long = BigInt(digits)
  return long >= longMin && long < -longMin ? { kind: 'number', digits: String(long) } : null
}

/** Written with an exponent, so that it stays a double even if it is whole. */
function fraction(value: unknown): SqlValue | null {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  const number = isNumber || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN
  return Number.isFinite(number) ? { kind: 'number', digits: number.toExponential().replace('e', 'E') } : null
}

function truth(value: unknown): SqlValue | null {
  const said = isScalar(value) ? String(value).toLowerCase() : ''
  const isTrue = said === 'true' || said === '1'
  return isTrue || said === 'false' || said === '0' ? { kind: 'boolean', value: isTrue } : null
}

/** A text in ISO 8601 or SQL form, or milliseconds. Its time in UTC is taken as local time of the query's zone, as in Druid. */
function time(value: unknown, type: 'TIMESTAMP' | 'DATE'): SqlValue | null {
  const ms = typeof value === 'string' ? parseInstant(value) : value
  if (typeof ms !== 'number' || !Number.isSafeInteger(ms) || ms < timeMinMs || ms > timeMaxMs) return null
  const shown = formatInstant(ms).slice(0, -1)
  return { kind: 'time', type, value: type === 'DATE' ? shown.slice(0, 10) : shown.replace('T', ' ') }
}

const timeMinMs = Date.parse('0001-01-01T00:00:00Z')
const timeMaxMs = Date.parse('9999-12-31T23:59:59.999Z')

/** A list of texts, numbers or truth values. */
function list(value: unknown): SqlValue | null {
  if (!Array.isArray(value)) return null
  const items = value.map((item: unknown): SqlValue | null => {
    if (item === null) return { kind: 'null' }
    if (typeof item === 'string') return text(item)
    if (typeof item === 'boolean') return truth(item)
    return whole(item) ?? fraction(item)
  })
  return items.some((item) => item === null) ? null : { kind: 'array', items: items.filter((item) => item !== null) }
}
