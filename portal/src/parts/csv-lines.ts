import { textWithLongs } from '../../../src/lib/json-with-longs.ts'
import type { RowTable } from './rows-stream.ts'
import { clockText } from './zoned-time.ts'

/** The format of a CSV file. */
export interface CsvForm {
  /** With a comma, cells are separated by semicolons. */
  readonly decimal: '.' | ','
  /** Time columns that are written on the clock of a zone; others are written as received. */
  readonly clock: { readonly columns: readonly string[]; readonly zone: string } | null
}

const plainForm: CsvForm = { decimal: '.', clock: null }

/** Text that a spreadsheet would read as a formula. */
const formula = /^[=+\-@\t\r\n]/

function textCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return safe === '' || /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function cell(value: unknown, decimal: CsvForm['decimal']): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return textCell(value)
  if (typeof value === 'number') return String(value).replace('.', decimal)
  return typeof value === 'object' ? textCell(textWithLongs(value)) : String(value)
}

/**
 * A table as CSV lines for a spreadsheet, in the service's own format (RFC 4180; null is an empty cell, the empty string is `""`), except that text which
 * begins like a formula gets an apostrophe in front. Numbers keep all their digits.
 */
export function csvLines({ columns, rows }: RowTable, { decimal, clock }: CsvForm = plainForm): string[] {
  const clockAt = columns.map((column) => clock?.columns.includes(column) === true)
  const separator = decimal === ',' ? ';' : ','
  const written = (value: unknown, place: number): string =>
    clock !== null && clockAt[place] === true && typeof value === 'string'
      ? clockText(Date.parse(value), clock.zone)
      : cell(value, decimal)
  const lines = rows.map((row) => columns.map((_, place) => written(row[place], place)))
  return [columns.map(textCell), ...lines].map((cells) => `${cells.join(separator)}\r\n`)
}

/** Pivots a table: a row per time, and a column for each combination of tags and each other column. */
export function wideTable({ columns, rows }: RowTable, time: string, tags: readonly string[]): RowTable {
  const timeAt = columns.indexOf(time)
  const tagsAt = tags.map((tag) => columns.indexOf(tag))
  const others = columns.flatMap((name, at) => (at === timeAt || tagsAt.includes(at) ? [] : [{ name, at }]))
  const places = new Map<string, number>()
  const made = new Map<unknown, unknown[]>()
  for (const row of rows) {
    const name = tagsAt.map((at) => String(row[at] ?? '')).join(' / ')
    const line = made.get(row[timeAt]) ?? [row[timeAt]]
    made.set(row[timeAt], line)
    for (const other of others) {
      const column = others.length === 1 ? name : `${name} ${other.name}`
      const place = places.get(column) ?? places.size + 1
      places.set(column, place)
      line[place] = row[other.at]
    }
  }
  const order = [...places].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const sorted = [...made.values()].map((line) => [line[0], ...order.map(([, place]) => line[place])])
  return { columns: [time, ...order.map(([name]) => name)], rows: sorted }
}
