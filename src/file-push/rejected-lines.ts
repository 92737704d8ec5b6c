// Rejected lines of line protocol, to be corrected by hand and pushed again.
import { type LinePrecision, lineTimeOf, precisionNames } from '../model/line-format.ts'

interface RejectedText {
  readonly row: string
  /** Set for a line only. */
  readonly precision?: LinePrecision | undefined
  readonly received: string
}

/** The time at the end of a line. A string field cannot match, because it ends with a quote. */
const timeAtEnd = /\s-?\d+\s*$/

/** The text of a rejected row. To a line without a time the time of receipt is added, as when it is validated again. */
export function timedText({ row, precision, received }: RejectedText): string {
  if (precision === undefined || timeAtEnd.test(row)) return row
  return `${row.trimEnd()} ${lineTimeOf(Date.parse(received), precision)}`
}

/** A note for pushing lines with these units of time again; null if none is needed. */
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
