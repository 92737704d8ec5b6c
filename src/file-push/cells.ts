// CSV has no types, JSON does: a cell is converted to the JSON text of the type that the ingest's field expects. A cell that cannot be converted
// is sent as text, so that the service rejects the row and keeps it unchanged.

import type { CsvCell } from '../lib/csv-parser.ts'
import { withoutGroups, writtenBoolean, writtenNumber } from '../lib/written-value.ts'
import type { FieldType } from '../model/field.ts'
import { formatInstant } from '../model/instant.ts'
import { type CsvWriting, type DecimalMark, usualWriting } from './csv-writing.ts'
import { type TimeRules, timeOfCell, usualTimes } from './time-rules.ts'

/** `guess` is for properties of unknown type. */
export type CellType = FieldType | 'guess'

export const cellTypes: readonly CellType[] = ['timestamp', 'string', 'double', 'long', 'boolean', 'json', 'guess']

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Shorter numbers could be a date in basic form, or seconds; those are sent as text. */
const epochMilliseconds = /^-?\d{11,}$/

function usualTimeText(cell: string): string {
  const count = cell.trim()
  if (epochMilliseconds.test(count) && jsonNumber.test(count)) return count
  return JSON.stringify(cell)
}

function timeTextBy(rules: TimeRules, decimal: DecimalMark): (cell: string) => string {
  if (rules === usualTimes) return usualTimeText
  const otherwise = rules.unit === null && rules.read === null ? usualTimeText : JSON.stringify
  return (cell) => {
    const count = rules.unit !== null && decimal === 'comma' ? commaText(cell.trim()) : cell
    const ms = count === null ? null : timeOfCell(count, rules)
    return ms === null ? otherwise(cell) : JSON.stringify(formatInstant(ms))
  }
}

/** JSON is sent unchanged, digit for digit, on one line; other cells as text. */
function jsonText(cell: string): string {
  try {
    JSON.parse(cell)
  } catch {
    return JSON.stringify(cell)
  }
  // Strings in JSON contain no line ends.
  return cell.replace(/[\r\n]+/g, ' ')
}

const booleanText = (cell: string): string => (cell === 'true' || cell === 'false' ? cell : JSON.stringify(cell))

const commaNumber = /^[^.,]*(?:,[^.,]*)?$/

/** The JSON of a number with a decimal comma, or null if the cell is not one: in "1.500" the point may separate thousands. */
function commaText(cell: string): string | null {
  const text = cell.replace(',', '.')
  return commaNumber.test(cell) && jsonNumber.test(text) ? text : null
}

/** A number with unambiguous thousands separators, without these; null for other cells. */
function groupedText(cell: string, decimal: DecimalMark): string | null {
  const text = withoutGroups(cell, decimal)
  return text !== null && jsonNumber.test(text) ? text : null
}

/** Conversions of values that a field would not accept as written: `+1.5`, `.5` and surrounding blanks; `TRUE` and `0`. */
export const cellConversions = ['number', 'boolean'] as const
export type CellConversion = (typeof cellConversions)[number]

function converted(cell: string, conversion: CellConversion, decimal: DecimalMark): string | null {
  if (conversion === 'boolean') return writtenBoolean(cell)
  const text = decimal === 'comma' ? (cell.includes('.') ? '' : cell.replace(',', '.')) : cell
  return cell.trim() === '' ? 'null' : writtenNumber(withoutGroups(cell.trim(), decimal) ?? text)
}

/** Converts the cells of a column to JSON text. An empty cell is null; in a string column `""` is the empty string. Throws `CellTimeError`. */
export function cellEncoder(
  type: CellType,
  { times, decimal }: Pick<CsvWriting, 'times' | 'decimal'> = usualWriting,
  conversion: CellConversion | null = null,
): (cell: CsvCell) => string {
  if (conversion !== null) {
    const unconverted = cellEncoder(type, { times, decimal })
    return (cell) => (cell === null ? null : converted(cell, conversion, decimal)) ?? unconverted(cell)
  }
  if (type === 'string') return (cell) => JSON.stringify(cell)
  const numberOf = decimal === 'comma' ? commaText : (cell: string) => (jsonNumber.test(cell) ? cell : null)
  const numberText = (cell: string): string => numberOf(cell) ?? groupedText(cell, decimal) ?? JSON.stringify(cell)
  const texts = {
    timestamp: timeTextBy(times, decimal),
    double: numberText,
    long: numberText,
    boolean: booleanText,
    json: jsonText,
    guess: (cell: string) => numberOf(cell) ?? booleanText(cell),
  }
  const text = texts[type]
  return (cell) => (cell === null || cell === '' ? 'null' : text(cell))
}
