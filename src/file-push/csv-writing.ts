// How a CSV file is written: the lines of its rows, its delimiter, its decimal mark and its times.
import { allLines, type CsvLines, CsvParser, type CsvRecord } from '../lib/csv-parser.ts'
import { type TimeRules, usualTimes } from './time-rules.ts'

export const decimalMarks = ['point', 'comma'] as const
export type DecimalMark = (typeof decimalMarks)[number]

/** How a file is split into cells. */
export interface CsvCutting {
  /** One character. */
  readonly delimiter: string
  readonly lines: CsvLines
}

export interface CsvWriting extends CsvCutting {
  readonly decimal: DecimalMark
  readonly times: TimeRules
}

export const usualWriting: CsvWriting = { delimiter: ',', decimal: 'point', times: usualTimes, lines: allLines }

/** Common delimiters, in the order in which they are tried. */
export const usualDelimiters = [',', ';', '\t', '|'] as const

/** Parses user input: a character, `tab` or `\t`. Throws an `Error`. */
export function parseDelimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (text.length === 1 && !/["\r\n]/.test(text)) return text
  throw new Error(`"${text}" is not a delimiter: give one character, such as ";", or tab.`)
}

/** The inverse of `parseDelimiter`. */
export const delimiterName = (delimiter: string): string => (delimiter === '\t' ? 'tab' : delimiter)

/** The names of the columns, without surrounding blanks. */
export const columnNames = ({ cells }: Pick<CsvRecord, 'cells'>): string[] => cells.map((cell) => cell?.trim() ?? '')

export interface LikelyWriting extends CsvCutting {
  readonly decimal: DecimalMark
}

const commaNumber = /^-?\d+,\d+$/
/** Here the comma may be a thousands separator. */
const thousands = /^-?[1-9]\d{0,2},\d{3}$/
const pointNumber = /^-?\d+\.\d+$/
/** Here the point may be a thousands separator. */
const thousandsByPoint = /^-?[1-9]\d{0,2}\.\d{3}$/
/** Whether a cell is a number or a date. A name in the header looks like one only if the file has no header. */
export const looksLikeValue = (cell: string): boolean =>
  /^([+-]?\d*[.,]\d+|-?\d+|\d{4}-\d\d-\d\d.*|\d\d?[./]\d\d?[./]\d{4}.*)$/.test(cell)
const recordCharsMax = 1024 * 1024
const recordsMax = 60

/** How a file is probably written, if the given settings would misread it; else null. `text` is its beginning. */
export function likelyWriting(text: string, given: CsvCutting): LikelyWriting | null {
  const likely =
    loggerFile(text, given) ?? comments(text, given) ?? preamble(text, given) ?? otherDelimiter(text, given)
  return likely === null ? null : { ...likely, decimal: likelyDecimal(text, likely) }
}

/** A file of a Campbell logger: its header is the second of four lines. */
function loggerFile(text: string, { lines }: CsvCutting): CsvCutting | null {
  const [, delimiter] = /^"?TOA5"?([,;\t])/.exec(text) ?? []
  if (delimiter === undefined || lines !== allLines) return null
  return { delimiter, lines: { ...allLines, headerLine: 2, skipLines: 4 } }
}

/** Detects lines with # before a header without it, such as InfluxDB's annotations; or the last line with # is the header. */
function comments(text: string, { delimiter, lines }: CsvCutting): CsvCutting | null {
  if (lines !== allLines || !text.startsWith('#')) return null
  const cutting = { delimiter, lines: { ...allLines, comment: '#' } }
  const likely = preamble(text, cutting) ?? otherDelimiter(text, cutting) ?? cutting
  const [first] = recordsBy(text, likely)
  if (first === undefined || likely.lines !== cutting.lines) return first === undefined ? null : likely
  if (!columnNames(first).some(looksLikeValue)) return likely
  const header = recordsBy(text, { ...likely, lines: allLines }).findLast(({ line }) => line < first.line)
  if (header?.cells.length !== first.cells.length) return likely
  return header.line === 1 ? null : { ...likely, lines: { ...allLines, headerLine: header.line } }
}

/** With this delimiter, the place of a header that is as wide as the rows after it; null if there is none. */
function tableBy(text: string, cutting: CsvCutting): { readonly width: number; readonly skipLines: number } | null {
  const records = recordsBy(text, cutting)
  const width = records.at(-1)?.cells.length ?? 0
  const place = records.findLastIndex(({ cells }) => cells.length !== width) + 1
  const [header, row] = records.slice(place)
  if (width < 2 || header === undefined || row === undefined || columnNames(header).some(looksLikeValue)) return null
  if (records.slice(0, place).some(({ cells }) => cells.length > width)) return null
  return { width, skipLines: place === 0 ? 0 : header.line - 1 }
}

/** Detects lines with fewer cells before the header of the widest table. */
function preamble(text: string, { delimiter: given, lines }: CsvCutting): CsvCutting | null {
  if (lines.headerLine !== null || lines.skipLines > 0) return null
  const tables = [...new Set([given, ...usualDelimiters])].flatMap((delimiter) => {
    const table = tableBy(text, { delimiter, lines })
    return table === null ? [] : [{ delimiter, ...table }]
  })
  const [widest] = tables.toSorted((a, b) => b.width - a.width)
  if (widest === undefined || widest.skipLines === 0) return null
  return { delimiter: widest.delimiter, lines: { ...lines, skipLines: widest.skipLines } }
}

/** Detects a header that has at most one column with the given delimiter, and several with another. */
function otherDelimiter(text: string, { delimiter, lines }: CsvCutting): CsvCutting | null {
  const columns = (by: string): number => headerBy(text, { delimiter: by, lines })?.cells.length ?? 0
  if (columns(delimiter) > 1) return null
  const other = usualDelimiters.find((one) => one !== delimiter && columns(one) > 1)
  return other === undefined ? null : { delimiter: other, lines }
}

/** The decimal mark of the first rows: a comma only if some cell cannot be read otherwise, and no cell has a point that must be a decimal point. */
export function likelyDecimal(text: string, cutting: CsvCutting): DecimalMark {
  if (cutting.delimiter === ',') return 'point'
  const cells = recordsBy(text, cutting).slice(1).flatMap(columnNames)
  if (cells.some((cell) => pointNumber.test(cell) && !thousandsByPoint.test(cell))) return 'point'
  return cells.some((cell) => commaNumber.test(cell) && !thousands.test(cell)) ? 'comma' : 'point'
}

/** Cells of rows may not be valid CSV with another delimiter, such as JSON with commas. Then only the header is parsed. */
function headerBy(text: string, cutting: CsvCutting): CsvRecord | undefined {
  const [first] = recordsBy(text, cutting)
  return first ?? recordsBy(/^(?:"?sep=[^\r\n]"?\r?\n)?[^\n]*/i.exec(text)![0], cutting)[0]
}

/** Empty if the text is not valid CSV with these settings. */
function recordsBy(text: string, { delimiter, lines }: CsvCutting): readonly CsvRecord[] {
  try {
    const records = new CsvParser({ recordCharsMax, delimiter, lines }).push(`${text.slice(0, recordCharsMax)}\n`)
    return records.slice(0, recordsMax)
  } catch {
    return []
  }
}
