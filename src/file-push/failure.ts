// Messages for a push that was not completed.
import { isDoubtful } from '../client/retries.ts'
import { ServiceError } from '../client/service-error.ts'
import type { FailedBatch, SendResult } from './send.ts'

/** The unit in which the file is counted. */
export type Counted = 'row' | 'line'

function failureText({ firstRow, lastRow, error }: FailedBatch, noun: Counted, lineOf: LineOf, done: Done): string {
  const reason = error instanceof Error ? inFile(error, firstRow, lineOf) : String(error)
  const doubt = isDoubtful(error) && done === 'acknowledged' ? ' It is unknown whether they were stored.' : ''
  const rows = firstRow === lastRow ? `${noun} ${firstRow} was` : `${noun}s ${firstRow} to ${lastRow} were`
  return `${rows} not ${done}: ${reason}${doubt}`
}

/** What the rows were sent for: to be stored, or in a dry run only to be checked. */
type Done = 'acknowledged' | 'checked'

/** Returns the line of a row in the file; null if unknown. */
type LineOf = (row: number) => number | null

/** Translates the line that the service reports: it counts the lines of a request, which have one row each. */
function inFile(error: Error, firstRow: number, lineOf: LineOf): string {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_json') return error.message
  const match = /^Line (\d+) is/.exec(error.message)
  if (match === null) return error.message
  const row = firstRow + Number(match[1]) - 1
  const line = lineOf(row)
  const place = line === null ? `Row ${row} of the file` : `Line ${line} of the file (row ${row})`
  const wayOut = 'No row of such a request is stored: correct or remove that line, and push again.'
  return `${place} is${error.message.slice(match[0].length)} ${wayOut}`
}

/** A sentence for each batch that was not acknowledged, and one if the input could not be read to its end. */
export function failureSentences(
  { failed, readError }: SendResult,
  noun: Counted = 'row',
  lineOf: LineOf = () => null,
  done: Done = 'acknowledged',
): readonly string[] {
  const sentences = failed.map((one) => failureText(one, noun, lineOf, done))
  if (readError === undefined) return sentences
  const reason = readError instanceof Error ? readError.message : String(readError)
  return [...sentences, `the rest of the file was not read: ${reason}`]
}

/** Whether rows that were not acknowledged may be stored. */
export function isInDoubt({ failed }: SendResult): boolean {
  return failed.some(({ error }) => isDoubtful(error))
}

/** The number of leading rows that are on disk, if no later ones are; else null. `skipped` rows at the beginning were not sent. */
export function acknowledgedUpTo({ failed, acknowledgedRows, lastRow }: SendResult, skipped: number): number | null {
  const rows = (failed[0]?.firstRow ?? Math.max(lastRow, skipped) + 1) - 1
  return skipped + acknowledgedRows === rows ? rows : null
}
