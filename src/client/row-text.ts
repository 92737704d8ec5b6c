import { messageOf } from '../lib/message-of.ts'
import { formatMediaType } from '../model/answer-format.ts'
import type { PushFormat } from './transport.ts'

/** Rows as objects, or a body as it is sent. */
export type PushedBody = string | Uint8Array | ArrayBuffer | readonly object[]

/**
 * The first value that JSON would silently turn into null or omit, with its path; null if the value is written unchanged. `around` is the chain of
 * enclosing objects, from the row on.
 */
function faultIn(value: unknown, path: string, around: readonly object[]): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : `${path} is ${value}, which JSON cannot hold; leave it out or write null`
  if (typeof value === 'bigint') return `${path} is a bigint; give the row as JSON text to writeTexts`
  if (typeof value === 'function' || typeof value === 'symbol')
    return `${path} is a ${typeof value}, which is not a value`
  if (typeof value !== 'object' || value === null) return null
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? `${path} is not a valid date` : null
  if ('toJSON' in value) return null
  const what = path === '' ? 'it' : path
  if (around.includes(value))
    return `${what} is an object that contains itself, which JSON cannot hold; leave it out or write its id`
  const members = Object.entries(value)
  if (members.length === 0 && isLost(value)) return `${what} is ${nameOf(value)}, which JSON cannot write`
  const within = [...around, value]
  for (const [name, member] of members) {
    const fault = faultIn(member, path === '' ? name : `${path}.${name}`, within)
    if (fault !== null) return fault
  }
  return null
}

/** Objects whose content is not in properties: a Map, an ArrayBuffer, a promise that was not awaited. */
function isLost(value: object): boolean {
  const made: unknown = Object.getPrototypeOf(value)
  return made !== null && made !== Object.prototype && JSON.stringify(value) === '{}'
}

function nameOf(value: object): string {
  const name = Object.prototype.toString.call(value).slice('[object '.length, -1)
  return /^[AEIOU]/.test(name) ? `an ${name}` : `a ${name}`
}

function textOf(row: unknown): { readonly text: string } | { readonly fault: string } {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    return { fault: `it is ${Array.isArray(row) ? 'an array' : String(row)} and not an object` }
  if (ArrayBuffer.isView(row)) return { fault: `it is ${nameOf(row)} and not an object` }
  try {
    const fault = faultIn(row, '', [])
    if (fault !== null) return { fault }
    const text: string | undefined = JSON.stringify(row)
    return text === undefined ? { fault: 'its toJSON returns nothing' } : { text }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

/** Each row as JSON text. Throws a `TypeError` for the first row that JSON would alter. */
export function rowTexts(rows: readonly object[]): string[] {
  return rows.map((row, index) => {
    const written = textOf(row)
    if ('text' in written) return written.text
    throw new TypeError(`Row ${index + 1} of ${rows.length} cannot be written: ${written.fault}.`)
  })
}

/** The body to send and its content type; text and bytes are sent unchanged. */
export function pushedBody(
  rows: PushedBody,
  format: PushFormat,
): { readonly body: string | Uint8Array; readonly contentType: string } {
  const contentType = formatMediaType(format)
  if (typeof rows === 'string') return { body: rows, contentType }
  if (ArrayBuffer.isView(rows))
    return { body: new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength), contentType }
  if (rows instanceof ArrayBuffer) return { body: new Uint8Array(rows), contentType }
  const texts = rowTexts(Array.isArray(rows) ? rows : [rows])
  return { body: format === 'ndjson' ? texts.join('\n') : `[${texts.join()}]`, contentType }
}
