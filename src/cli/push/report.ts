import { ConnectionError } from '../../client/service-error.ts'
import { printable, textTable } from '../../lib/text-table.ts'
import type { Outcome } from './receipt-follower.ts'
import type { FailedBatch, SendResult } from './send.ts'

export interface PushReport extends Outcome {
  readonly received: number
  readonly seconds: number
}

export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US')

/** What became of the rows, for people. */
export function reportText(report: PushReport, ingest: string): string {
  const { received, stored, rejected, pending, seconds, errors } = report
  const counts = [
    ['received', formatCount(received)],
    ['stored', formatCount(stored)],
    ['rejected', formatCount(rejected)],
  ]
  if (pending > 0) counts.push(['pending', formatCount(pending)])
  const rate = seconds > 0 ? `, ${formatCount(received / seconds)} rows/s` : ''
  const table = textTable([{ title: 'rows' }, { title: '', align: 'right' }], counts)
  const lines = errors.map(
    ({ row, field, code, message }) => `row ${row}: ${field === null ? '' : `${field}: `}${message} (${code})`,
  )
  if (rejected > errors.length) lines.push(`... and ${formatCount(rejected - errors.length)} more`)
  if (rejected > 0) lines.push(`The rejected rows are kept: tidemark rejected list ${ingest}`)
  if (pending > 0) lines.push('The pending rows are on disk; the service has not judged them yet.')
  return `${table}in ${seconds.toFixed(1)} s${rate}\n${lines.map((line) => `${printable(line)}\n`).join('')}`
}

function failureText({ firstRow, lastRow, error }: FailedBatch): string {
  const reason = error instanceof Error ? error.message : String(error)
  const doubt = error instanceof ConnectionError && error.sent ? ' Nobody knows whether these rows were stored.' : ''
  return `rows ${firstRow} to ${lastRow} were not acknowledged: ${reason}${doubt}`
}

/** What went wrong and how to go on, or null where all rows were acknowledged. */
export function failureReport(
  { failed, readError, lastRow, acknowledgedRows }: SendResult,
  skipped: number,
): string | null {
  const sentences = failed.map(failureText)
  if (readError !== undefined) {
    sentences.push(`the input cannot be read on: ${readError instanceof Error ? readError.message : String(readError)}`)
  }
  if (sentences.length === 0) return null
  const firstMissing = failed[0]?.firstRow ?? Math.max(lastRow, skipped) + 1
  const gapless = skipped + acknowledgedRows === firstMissing - 1
  sentences.push(
    gapless
      ? `All rows before row ${firstMissing} are on disk, none after. Once it is mended, go on with --skip-rows ${firstMissing - 1}.`
      : `Of the rows up to ${lastRow}, all but those named are on disk; nothing after them was sent.`,
  )
  return sentences.join('\n')
}
