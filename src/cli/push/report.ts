import { ConnectionError, ServiceError } from '../../client/service-error.ts'
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
  const lines = kindLines(report)
  lines.push(...errors.map(({ row, message, code }) => `row ${row}: ${message} (${code})`))
  if (rejected > errors.length) lines.push(`... and ${formatCount(rejected - errors.length)} more`)
  lines.push(...batchLines(report, ingest))
  if (pending > 0) lines.push('The pending rows are on disk; the service has not judged them yet.')
  return `${table}in ${seconds.toFixed(1)} s${rate}\n${lines.map((line) => `${printable(line)}\n`).join('')}`
}

const kindsShown = 10

/** How many rows have which fault, where that says more than the rows do. */
function kindLines({ rejected, kinds }: PushReport): string[] {
  if (rejected < 2) return []
  const told = kinds.reduce((sum, { rows }) => sum + rows, 0)
  const lines = kinds.slice(0, kindsShown).map(({ code, field, rows }) => {
    return `${formatCount(rows)} ${code}${field === null ? '' : ` in ${field}`}`
  })
  if (kinds.length > kindsShown) lines.push(`... and ${kinds.length - kindsShown} other faults`)
  const of = told < rejected ? `faults of the first ${formatCount(told)} rejected rows` : 'faults'
  return [`${of}: ${lines.join(', ')}`]
}

/** The pushes with rejected rows, and the command that shows these with the key that pushed them. */
function batchLines({ rejected, batches }: PushReport, ingest: string): string[] {
  if (rejected === 0) return []
  const lines = batches.map((one) => `batch ${one.batch}: ${formatCount(one.rejected)} rejected`)
  const only = batches.length === 1 && batches[0]!.rejected === rejected ? ` --batch ${batches[0]!.batch}` : ''
  return [...lines, `The rejected rows are kept: tidemark rejected list ${ingest} --mine${only}`]
}

function failureText({ firstRow, lastRow, error }: FailedBatch): string {
  const reason = error instanceof Error ? inFile(error, firstRow) : String(error)
  const doubt = error instanceof ConnectionError && error.sent ? ' Nobody knows whether they were stored.' : ''
  const rows = firstRow === lastRow ? `row ${firstRow} was` : `rows ${firstRow} to ${lastRow} were`
  return `${rows} not acknowledged: ${reason}${doubt}`
}

/** The service counts the lines of a request, which has a row on each. */
function inFile(error: Error, firstRow: number): string {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_json') return error.message
  return error.message.replace(/^Line (\d+) is/, (_, line) => `Row ${firstRow + Number(line) - 1} of the file is`)
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
