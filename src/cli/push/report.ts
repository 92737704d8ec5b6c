import { ConnectionError } from '../../client/service-error.ts'
import { printable } from '../../lib/text-table.ts'
import type { PushOutcome } from './receipt-follower.ts'
import type { FailedBatch, SendResult } from './send.ts'

export interface PushReport extends PushOutcome {
  readonly received: number
  readonly seconds: number
}

export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US')

/** What became of the rows, for people. */
export function reportText(report: PushReport, ingest: string): string {
  const { received, stored, rejected, pending, seconds, errors } = report
  const counts: [string, string][] = [
    ['received', formatCount(received)],
    ['stored', formatCount(stored)],
    ['rejected', formatCount(rejected)],
  ]
  if (pending > 0) counts.push(['pending', formatCount(pending)])
  const rate = seconds > 0 ? ` (${formatCount(received / seconds)} rows/s)` : ''
  const width = Math.max(...counts.map(([, count]) => count.length))
  const table = counts.map(([name, count]) => `${name.padEnd(8)}  ${count.padStart(width)}\n`).join('')
  const lines = errors.map(({ row, message, code }) => `row ${row}: ${message} (${code})`)
  if (rejected > errors.length) lines.push(`... and ${formatCount(rejected - errors.length)} more`)
  if (rejected > 0) lines.push(`The rejected rows are kept: tidemark rejected list ${ingest}`)
  if (pending > 0) lines.push('The pending rows are on disk; the service has not judged them yet.')
  return `${table}in ${seconds.toFixed(1)} s${rate}\n${lines.map((line) => `${printable(line)}\n`).join('')}`
}

function failureText({ firstRow, lastRow, error }: FailedBatch): string {
  const reason = error instanceof Error ? error.message : String(error)
  const doubt = error instanceof ConnectionError && error.sent ? ' Nobody knows whether they were stored.' : ''
  const rows = firstRow === lastRow ? `row ${firstRow} was` : `rows ${firstRow} to ${lastRow} were`
  return `${rows} not acknowledged: ${reason}${doubt}`
}

function whatIsOnDisk(
  failed: readonly FailedBatch[],
  acknowledgedRows: number,
  lastRow: number,
  skipped: number,
): string {
  const firstMissing = failed[0]?.firstRow ?? Math.max(lastRow, skipped) + 1
  if (skipped + acknowledgedRows !== firstMissing - 1) {
    return `Of the rows up to ${lastRow}, all but those named are on disk; nothing after them was sent.`
  }
  if (acknowledgedRows === 0) return 'No other row was sent.'
  return `All rows before row ${firstMissing} are on disk, none after. Once it is mended, go on with --skip-rows ${firstMissing - 1}.`
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
  sentences.push(whatIsOnDisk(failed, acknowledgedRows, lastRow, skipped))
  return sentences.join('\n')
}
