// Guesses which columns of a file are which fields of an ingest, for the user to decide on.
import type { CsvCell } from '../lib/csv-parser.ts'
import { withoutGroups, writtenBoolean } from '../lib/written-value.ts'
import { compactDate } from '../model/instant.ts'
import type { CellType } from './cells.ts'

export interface Column {
  readonly name: string
  /** The cell of the first row; undefined if there is no row. */
  readonly cell: CsvCell | undefined
}

interface Target {
  readonly name: string
  readonly type: CellType
}

type Rule = (column: Column, field: Target) => boolean

/** A date with separators and a numeric or named month, or one that begins with the name of a month. */
const writtenDate =
  /^\s*(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])(?:\d{1,2}|[A-Za-z]{3,9})\2\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2}, \d{4})(?!\d)/
const looksLikeTime = (cell: string): boolean =>
  writtenDate.test(cell) || (cell.length >= 10 && compactDate(cell) !== null)
const looksLikeNumber = /^[+-]?\d*(?:[.,]\d+|\d)(?:e[+-]?\d+)?$/i
const namesTime = /time|date|stamp|zeit|datum|fecha|hora|heure|horodat/i
const looksLikeDay = /^(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\d{8})$/
/** A time of day. */
export const looksLikeClock = /^\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s?[AaPp]\.?[Mm]\.?)?$/

type Kind = 'time' | 'number' | 'boolean' | 'text'

function kindOfCell(cell: string): Kind {
  if (looksLikeTime(cell)) return 'time'
  const isGrouped = withoutGroups(cell, 'point') !== null || withoutGroups(cell, 'comma') !== null
  if (isGrouped || looksLikeNumber.test(cell.trim())) return 'number'
  return writtenBoolean(cell) === null ? 'text' : 'boolean'
}

/** Null if neither the name nor a cell shows it. */
function kindOf({ name, cell }: Column): Kind | null {
  if (typeof cell === 'string' && looksLikeTime(cell)) return 'time'
  if (namesTime.test(name) && (typeof cell !== 'string' || kindOfCell(cell) === 'number')) return 'time'
  return cell === undefined ? null : kindOfCell(cell ?? '')
}

const kindOfType: Readonly<Partial<Record<CellType, Kind>>> = {
  timestamp: 'time',
  double: 'number',
  long: 'number',
  string: 'text',
  boolean: 'boolean',
}

/** Lower case, without surrounding blanks and quotes. */
const plainName = (name: string): string => name.replace(/["']/g, '').trim().toLowerCase()

/** Most likely first: the same name, then a time by name and cell, a time by its cell, the kind of the cell, and finally the order. */
const rules: readonly Rule[] = [
  (column, field) => plainName(column.name) === plainName(field.name),
  ({ name, cell = null }, { type }) => type === 'timestamp' && namesTime.test(name) && looksLikeTime(cell ?? ''),
  ({ cell = null }, { type }) => type === 'timestamp' && looksLikeTime(cell ?? ''),
  (column, field) => kindOf(column) === kindOfType[field.type],
  // An empty cell may be anything. Without a row, only the order would be known.
  ({ cell }) => cell === null,
]

/** For each column its probable field; null if none is left. */
export function likelyFields(columns: readonly Column[], fields: readonly Target[]): readonly (string | null)[] {
  const found = columns.map((): string | null => null)
  const free = [...fields]
  for (const rule of rules) {
    for (const [place, column] of columns.entries()) {
      if (found[place] !== null) continue
      const at = free.findIndex((field) => rule(column, field))
      if (at !== -1) found[place] = free.splice(at, 1)[0]!.name
    }
  }
  return found
}

/** The columns of a date and of its time, by their first cells; null unless there is exactly one of each. */
export function likelyDateAndTime(columns: readonly Column[]): readonly [date: string, time: string] | null {
  const named = (form: RegExp): string[] =>
    columns.filter(({ cell }) => form.test(cell?.trim() ?? '')).map(({ name }) => name)
  const [[date, ...otherDates], [time, ...otherTimes]] = [named(looksLikeDay), named(looksLikeClock)]
  const isClear = otherDates.length + otherTimes.length === 0 && date !== undefined && time !== undefined
  return isClear ? [date, time] : null
}
