import { textWithLongs } from '../../../src/lib/json-with-longs.ts'
import type { RowTable } from './rows-stream.ts'

/** What a spreadsheet takes for the beginning of a formula. */
const formula = /^[=+\-@\t\r\n]/

function textCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return textCell(value)
  return typeof value === 'object' ? textCell(textWithLongs(value)) : String(value)
}

/**
 * A table as CSV for a spreadsheet, a line each: as the service writes it (RFC 4180, a null is nothing, the empty text is `""`), but a text that
 * begins like a formula has an apostrophe before it. Numbers are as they are.
 */
export function csvLines({ columns, rows }: RowTable): string[] {
  return [columns, ...rows].map((row) => `${columns.map((_, place) => cell(row[place])).join(',')}\r\n`)
}
