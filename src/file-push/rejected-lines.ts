// Rejected lines of line protocol, to be mended by hand and pushed again.
import { type LinePrecision, lineTimeOf, precisionNames } from '../model/line-format.ts'

interface RejectedText {
  readonly row: string
  /** Of a line alone. */
  readonly precision?: LinePrecision | undefined
  readonly received: string
}

/** The time at the end of a line. No string of a field ends so: a quote is behind it. */
const timeAtEnd = /\s-?\d+\s*$/

/** The text of a rejected row; a line without a time has that at which it was received, as when it is validated again. */
export function timedText({ row, precision, received }: RejectedText): string {
  if (precision === undefined || timeAtEnd.test(row)) return row
  return `${row.trimEnd()} ${lineTimeOf(Date.parse(received), precision)}`
}

/** What is to be known before lines with these units of time are pushed again; null where that is nothing. */
export function precisionNote(precisions: ReadonlySet<LinePrecision | undefined>): string | null {
  const [first, ...others] = [...precisions].filter((one) => one !== undefined)
  if (first === undefined) return null
  if (others.length > 0) {
    const units = [first, ...others].map((one) => precisionNames[one])
    return `The times of these lines are in different units (${units.join(', ')}). Save each push apart, by its batch, or some are stored at wrong times.`
  }
  return first === 'ns'
    ? null
    : `The times of these lines are in ${precisionNames[first]}: push them with --precision ${first}.`
}
