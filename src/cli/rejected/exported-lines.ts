import type { RejectedRowAnswer } from '../../client/answers.ts'
import { type LinePrecision, precisionNames } from '../../model/line-format.ts'

/** The time at the end of a line. No string of a field ends so: a quote is behind it. */
const timeAtEnd = /\s-?\d+\s*$/

/** What rows that are exported to be pushed again have lost: the unit of their times, and the time of those that have none. */
export class ExportedLines {
  readonly #precisions = new Set<LinePrecision>()
  #timeless = 0

  add({ precision, row }: Pick<RejectedRowAnswer, 'precision' | 'row'>): void {
    if (precision === undefined) return
    if (timeAtEnd.test(row)) this.#precisions.add(precision)
    else this.#timeless++
  }

  /** What is to be known before they are pushed again, a sentence each. */
  notes(): readonly string[] {
    const [first, ...others] = this.#precisions
    const notes: string[] = []
    if (others.length > 0) {
      const units = [first!, ...others].map((one) => precisionNames[one])
      notes.push(
        `The times of these lines are in different units (${units.join(', ')}). Export each push apart, by --batch, or they are stored at wrong times.`,
      )
    } else if (first !== undefined && first !== 'ns') {
      notes.push(`The times of these lines are in ${precisionNames[first]}: push them with --precision ${first}.`)
    }
    if (this.#timeless > 0) {
      const lines =
        this.#timeless === 1 ? '1 line has no time: it is' : `${this.#timeless} lines have no time: they are`
      notes.push(
        `${lines} stored at that at which you push again, unless you add one. "received" in the export without --rows says when they came.`,
      )
    }
    return notes
  }
}
