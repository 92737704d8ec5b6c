// CSV knows no types, JSON does: here a cell becomes the JSON text of what the ingest's field expects. A cell that cannot be
// that goes as text, so that the service rejects the row and keeps it as it was.

import type { CsvCell } from '../lib/csv-reader.ts'
import type { FieldType } from '../model/field.ts'

/** `guess` is for a property of which nothing is known. */
export type CellType = FieldType | 'guess'

export const cellTypes: readonly CellType[] = ['timestamp', 'string', 'double', 'long', 'boolean', 'json', 'guess']

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** As pandas and databases write it, with an offset or without. */
const spacedTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)$/
/** Shorter ones could be a date in basic form or seconds: those go as text. */
const epochMilliseconds = /^-?\d{11,}$/

function timestampText(cell: string): string {
  if (epochMilliseconds.test(cell) && jsonNumber.test(cell)) return cell
  const spaced = spacedTime.exec(cell)
  return JSON.stringify(spaced === null ? cell : `${spaced[1]}T${spaced[2]}`)
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
const numberText = (cell: string): string => (jsonNumber.test(cell) ? cell : JSON.stringify(cell))

/** What turns the cells of a column into JSON text. An empty cell is null; in a string column `""` is the empty string. */
export function cellEncoder(type: CellType): (cell: CsvCell) => string {
  if (type === 'string') return (cell) => JSON.stringify(cell)
  const texts = {
    timestamp: timestampText,
    double: numberText,
    long: numberText,
    boolean: booleanText,
    json: jsonText,
    guess: (cell: string) => (jsonNumber.test(cell) ? cell : booleanText(cell)),
  }
  const text = texts[type]
  return (cell) => (cell === null || cell === '' ? 'null' : text(cell))
}
