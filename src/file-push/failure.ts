// What is said of a push that did not come to its end.
import { isDoubtful } from '../client/retries.ts'
import { ServiceError } from '../client/service-error.ts'
import type { FailedBatch, SendResult } from './send.ts'

/** What is counted in the file. */
export type Counted = 'row' | 'line'

function failureText({ firstRow, lastRow, error }: FailedBatch, noun: Counted, lineOf: LineOf, done: Done): string {
  const reason = error instanceof Error ? inFile(error, firstRow, lineOf) : String(error)
  const doubt = isDoubtful(error) && done === 'acknowledged' ? ' Nobody knows whether they were stored.' : ''
  const rows = firstRow === lastRow ? `${noun} ${firstRow} was` : `${noun}s ${firstRow} to ${lastRow} were`
  return `${rows} not ${done}: ${reason}${doubt}`
}

/** What was to become of the rows: a dry run has them checked, and none of them is stored. */
type Done = 'acknowledged' | 'checked'

/** On which line of the file a row stands; null where nobody knows. */
type LineOf = (row: number) => number | null

/** The service counts the lines of a request, which has a row on each. */
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

/** A sentence for each batch that was not acknowledged, and one where the input could not be read to its end. */
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

/** Whether rows may be stored that were not acknowledged. */
export function isInDoubt({ failed }: SendResult): boolean {
  return failed.some(({ error }) => isDoubtful(error))
}

/** How many rows at the beginning are on disk while none after them is; null where later ones are there too. `skipped` rows were left out. */
export function acknowledgedUpTo({ failed, acknowledgedRows, lastRow }: SendResult, skipped: number): number | null {
  const rows = (failed[0]?.firstRow ?? Math.max(lastRow, skipped) + 1) - 1
  return skipped + acknowledgedRows === rows ? rows : null
}
