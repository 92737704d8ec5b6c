// How a CSV file is written: what parts its cells, and what parts a number from its fraction.
import { CsvParser } from '../lib/csv-parser.ts'
import { type TimeRules, usualTimes } from './time-rules.ts'

export const decimalMarks = ['point', 'comma'] as const
export type DecimalMark = (typeof decimalMarks)[number]

export interface CsvWriting {
  /** One character. */
  readonly delimiter: string
  readonly decimal: DecimalMark
  readonly times: TimeRules
}

export const usualWriting: CsvWriting = { delimiter: ',', decimal: 'point', times: usualTimes }

/** The usual ones, in the order in which they are looked for. */
export const usualDelimiters = [',', ';', '\t', '|'] as const

/** Of what a person typed: a character, `tab` or `\t`. Throws an `Error`. */
export function parseDelimiter(text: string): string {
  if (text === 'tab' || text === '\\t') return '\t'
  if (text.length === 1 && !/["\r\n]/.test(text)) return text
  throw new Error(`"${text}" is no delimiter: give one character, such as ";", or tab.`)
}

/** As `parseDelimiter` takes it. */
export const delimiterName = (delimiter: string): string => (delimiter === '\t' ? 'tab' : delimiter)

export interface LikelyWriting {
  readonly delimiter: string
  readonly decimal: DecimalMark
}

const commaNumber = /^-?\d+,\d+$/
/** The comma may part thousands. */
const thousands = /^-?[1-9]\d{0,2},\d{3}$/
const pointNumber = /^-?\d+\.\d+$/
const recordCharsMax = 1024 * 1024

/**
 * How a file is written whose header would be one column by `delimiter`, and several by another; null where it is not so.
 * `text` is its beginning.
 */
export function likelyWriting(text: string, delimiter: string): LikelyWriting | null {
  // Cells of rows may be no CSV by another delimiter, as JSON is by a comma: the header alone decides.
  const header = /^(?:"?sep=[^\r\n]"?\r?\n)?[^\n]*/i.exec(text)![0]
  const columns = (by: string): number => (recordsBy(text, by)[0] ?? recordsBy(header, by)[0])?.length ?? 0
  if (columns(delimiter) !== 1) return null
  const other = usualDelimiters.find((one) => one !== delimiter && columns(one) > 1)
  return other === undefined ? null : { delimiter: other, decimal: likelyDecimal(text, other) }
}

/** By the cells of the first rows: a comma only where one of them can mean nothing else, and no number has a point. */
export function likelyDecimal(text: string, delimiter: string): DecimalMark {
  if (delimiter === ',') return 'point'
  const cells = recordsBy(text, delimiter).slice(1).flat()
  if (cells.some((cell) => pointNumber.test(cell))) return 'point'
  return cells.some((cell) => commaNumber.test(cell) && !thousands.test(cell)) ? 'comma' : 'point'
}

/** Where the text is no CSV so, there are none. */
function recordsBy(text: string, delimiter: string): readonly (readonly string[])[] {
  try {
    const records = new CsvParser({ recordCharsMax, delimiter }).push(`${text.slice(0, recordCharsMax)}\n`)
    return records.slice(0, 20).map(({ cells }) => cells.map((cell) => cell ?? ''))
  } catch {
    return []
  }
}
