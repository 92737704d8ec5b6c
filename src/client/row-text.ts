import { messageOf } from '../lib/message-of.ts'
import { formatMediaType } from '../model/answer-format.ts'
import type { PushFormat } from './transport.ts'

/** Rows as objects, or a body as it is sent. */
export type PushedBody = string | Uint8Array | readonly object[]

/** What JSON would silently make null or leave out, and where; null where a value is written as it is. */
function faultIn(value: unknown, path: string): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) ? null : `${path} is ${value}, which JSON cannot hold; leave it out or write null`
  if (typeof value === 'bigint') return `${path} is a bigint; give the row as JSON text to writeTexts`
  if (typeof value === 'function' || typeof value === 'symbol') return `${path} is a ${typeof value}, which is no value`
  if (typeof value !== 'object' || value === null) return null
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? `${path} is no valid date` : null
  if ('toJSON' in value) return null
  for (const [name, member] of Object.entries(value)) {
    const fault = faultIn(member, path === '' ? name : `${path}.${name}`)
    if (fault !== null) return fault
  }
  return null
}

function textOf(row: unknown): { readonly text: string } | { readonly fault: string } {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    return { fault: `it is ${Array.isArray(row) ? 'an array' : String(row)} and not an object` }
  const fault = faultIn(row, '')
  if (fault !== null) return { fault }
  try {
    const text: string | undefined = JSON.stringify(row)
    return text === undefined ? { fault: 'its toJSON answers nothing' } : { text }
  } catch (error) {
    return { fault: messageOf(error) }
  }
}

/** Each row as JSON text. Throws a `TypeError` that names the first row which JSON would alter. */
export function rowTexts(rows: readonly object[]): string[] {
  return rows.map((row, index) => {
    const written = textOf(row)
    if ('text' in written) return written.text
    throw new TypeError(`Row ${index + 1} of ${rows.length} cannot be written: ${written.fault}.`)
  })
}

/** What is sent, a text or bytes as they are, and what it says it is. */
export function pushedBody(
  rows: PushedBody,
  format: PushFormat,
): { readonly body: string | Uint8Array; readonly contentType: string } {
  const contentType = formatMediaType(format)
  if (typeof rows === 'string' || rows instanceof Uint8Array) return { body: rows, contentType }
  const texts = rowTexts(Array.isArray(rows) ? rows : [rows])
  return { body: format === 'ndjson' ? texts.join('\n') : `[${texts.join()}]`, contentType }
}
