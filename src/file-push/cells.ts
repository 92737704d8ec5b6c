// CSV knows no types, JSON does: here a cell becomes the JSON text of what the ingest's field expects. A cell that cannot be
// that goes as text, so that the service rejects the row and keeps it as it was.

import type { CsvCell } from '../lib/csv-parser.ts'
import { withoutGroups, writtenBoolean, writtenNumber } from '../lib/written-value.ts'
import type { FieldType } from '../model/field.ts'
import { formatInstant } from '../model/instant.ts'
import { type CsvWriting, type DecimalMark, usualWriting } from './csv-writing.ts'
import { type TimeRules, timeOfCell, usualTimes } from './time-rules.ts'

/** `guess` is for a property of which nothing is known. */
export type CellType = FieldType | 'guess'

export const cellTypes: readonly CellType[] = ['timestamp', 'string', 'double', 'long', 'boolean', 'json', 'guess']

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** Shorter ones could be a date in basic form or seconds: those go as text. */
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

/** JSON goes as it stands, digit for digit, on one line; what is none, as text. */
function jsonText(cell: string): string {
  try {
    JSON.parse(cell)
  } catch {
    return JSON.stringify(cell)
  }
  // Within its strings there are no line ends.
  return cell.replace(/[\r\n]+/g, ' ')
}

const booleanText = (cell: string): string => (cell === 'true' || cell === 'false' ? cell : JSON.stringify(cell))

const commaNumber = /^[^.,]*(?:,[^.,]*)?$/

/** The JSON of a number with a comma for its point, or null where the cell is none: in "1.500" the point may part thousands. */
function commaText(cell: string): string | null {
  const text = cell.replace(',', '.')
  return commaNumber.test(cell) && jsonNumber.test(text) ? text : null
}

/** Of a column of numbers: where the thousands are parted, and it can mean nothing else, without what parts them. */
function groupedText(cell: string, decimal: DecimalMark): string | null {
  const text = withoutGroups(cell, decimal)
  return text !== null && jsonNumber.test(text) ? text : null
}

/** How values are read that a field would not take as they are written: `+1.5` and `.5` and blanks around, `TRUE` and `0`. */
export const cellConversions = ['number', 'boolean'] as const
export type CellConversion = (typeof cellConversions)[number]

function converted(cell: string, conversion: CellConversion, decimal: DecimalMark): string | null {
  if (conversion === 'boolean') return writtenBoolean(cell)
  const text = decimal === 'comma' ? (cell.includes('.') ? '' : cell.replace(',', '.')) : cell
  return cell.trim() === '' ? 'null' : writtenNumber(withoutGroups(cell.trim(), decimal) ?? text)
}

/** What turns the cells of a column into JSON text. An empty cell is null; in a string column `""` is the empty string. Throws `CellTimeError`. */
export function cellEncoder(
  type: CellType,
  { times, decimal }: Pick<CsvWriting, 'times' | 'decimal'> = usualWriting,
  conversion: CellConversion | null = null,
): (cell: CsvCell) => string {
  if (conversion !== null) {
    const asItStands = cellEncoder(type, { times, decimal })
    return (cell) => (cell === null ? null : converted(cell, conversion, decimal)) ?? asItStands(cell)
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
