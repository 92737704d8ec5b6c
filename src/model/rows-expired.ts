import { formatInstant } from './instant.ts'
import { Problem } from './problem.ts'

/** Of a question about rows that have left, of which the hours alone are kept. `untilMs`: from then on there are rows. */
export function rowsExpired({ untilMs }: { readonly untilMs: number }, why: string): Problem {
  return new Problem('rows_expired', `There are rows from ${formatInstant(untilMs)} on: ${why}.`)
}
