// What is said of a push that did not come to its end.
import { ConnectionError, ServiceError } from '../client/service-error.ts'
import type { FailedBatch, SendResult } from './send.ts'

/** What is counted in the file. */
export type Counted = 'row' | 'line'

function failureText({ firstRow, lastRow, error }: FailedBatch, noun: Counted): string {
  const reason = error instanceof Error ? inFile(error, firstRow) : String(error)
  const doubt = error instanceof ConnectionError && error.sent ? ' Nobody knows whether they were stored.' : ''
  const rows = firstRow === lastRow ? `${noun} ${firstRow} was` : `${noun}s ${firstRow} to ${lastRow} were`
  return `${rows} not acknowledged: ${reason}${doubt}`
}

/** The service counts the lines of a request, which has a row on each. */
function inFile(error: Error, firstRow: number): string {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_json') return error.message
  return error.message.replace(/^Line (\d+) is/, (_, line) => `Row ${firstRow + Number(line) - 1} of the file is`)
}

/** A sentence for each batch that was not acknowledged, and one where the input could not be read to its end. */
export function failureSentences({ failed, readError }: SendResult, noun: Counted = 'row'): readonly string[] {
  const sentences = failed.map((one) => failureText(one, noun))
  if (readError === undefined) return sentences
  const reason = readError instanceof Error ? readError.message : String(readError)
  return [...sentences, `the rest of the file was not read: ${reason}`]
}

/** How many rows at the beginning are on disk while none after them is; null where later ones are there too. `skipped` rows were left out. */
export function acknowledgedUpTo({ failed, acknowledgedRows, lastRow }: SendResult, skipped: number): number | null {
  const rows = (failed[0]?.firstRow ?? Math.max(lastRow, skipped) + 1) - 1
  return skipped + acknowledgedRows === rows ? rows : null
}
