import { acknowledgedUpTo, type Counted, failureSentences, isInDoubt } from '../../file-push/failure.ts'
import type { FirstLineTime } from '../../file-push/first-line-time.ts'
import { type FirstRows, hasUnknownNames } from '../../file-push/first-rows.ts'
import type { KnownIngest } from '../../file-push/known-ingest.ts'
import { misreadText } from '../../file-push/misread-times.ts'
import type { OldRows } from '../../file-push/old-rows.ts'
import type { PushOutcome } from '../../file-push/receipt-follower.ts'
import { conversionHints, numberHint, timeHint } from '../../file-push/rejection-hints.ts'
import type { ShownRejection } from '../../file-push/rejections.ts'
import type { SendResult } from '../../file-push/send.ts'
import type { StopReason } from '../../file-push/stop-after.ts'
import { AmbiguousTimeError } from '../../file-push/time-rules.ts'
import { escapedPart } from '../../lib/comma-list.ts'
import { messageOf } from '../../lib/message-of.ts'
import { shellWord } from '../../lib/shell-word.ts'
import { printable } from '../../lib/text-table.ts'
import { epochUnits } from '../../model/epoch.ts'
import { formatInstant } from '../../model/instant.ts'
import { precisionNames } from '../../model/line-format.ts'

import { parsePairs } from '../option-values.ts'
import type { CsvOptions } from './csv-options.ts'

export interface PushReport extends PushOutcome {
  readonly received: number
  readonly seconds: number
}

export const formatCount = (count: number): string => Math.round(count).toLocaleString('en-US')

interface ReportedPush extends NamesOfPush {
  readonly options: Pick<CsvOptions, 'timeFormat'>
  readonly csv: boolean
  readonly oldRows: OldRows
  readonly noun: Counted
}

/** The note about stored rows that are older than the entity's retention. */
export function oldLines({ count, retainedFromMs }: OldRows, ingest: string): readonly string[] {
  if (count === 0 || retainedFromMs === null) return []
  const rows = count === 1 ? '1 row is' : `${formatCount(count)} rows are`
  return [
    `${rows} older than ${formatInstant(retainedFromMs)}, the start of the retention of ${ingest}: such rows are stored, but queries do not return them.`,
  ]
}

function replacedLines({ replaced }: PushOutcome): readonly string[] {
  if (replaced === 0) return []
  const rows = replaced === 1 ? '1 row' : `${formatCount(replaced)} rows`
  return [`${rows} replaced an earlier one of the same push (same time and tags).`]
}

/** The outcome of a push as text. */
export function reportText(report: PushReport, push: ReportedPush): string {
  const { ingest, csv, oldRows, noun } = push
  const { received, stored, rejected, pending, seconds } = report
  const counts: [string, string][] = [
    ['received', formatCount(received)],
    ['stored', formatCount(stored)],
    ['rejected', formatCount(rejected)],
  ]
  if (pending > 0) counts.push(['pending', formatCount(pending)])
  const rate = seconds > 0 ? ` (${formatCount(received / seconds)} rows/s)` : ''
  const width = Math.max(...counts.map(([, count]) => count.length))
  const table = counts.map(([name, count]) => `${name.padEnd(8)}  ${count.padStart(width)}\n`).join('')
  const lines = [...rejectionLines(report, noun), ...batchLines(report, ingest), ...replacedLines(report)]
  lines.push(...oldLines(oldRows, ingest))
  if (csv) lines.push(...csvHints(report, push.options))
  else lines.push(...nameLines(report, push, onlyBatch(report)))
  lines.push(...misreadLines(push))
  if (received === 0) lines.push(`No ${noun} was sent: the file has none, or --skip-rows skips all of them.`)
  if (pending > 0) lines.push('The pending rows are on disk; the service has not reported their outcome.')
  return `${table}in ${seconds.toFixed(1)} s${rate}\n${lines.map((line) => `${printable(line)}\n`).join('')}`
}

type Faults = Pick<PushReport, 'rejected' | 'errors' | 'kinds'>

/** The faults by code and field, followed by the first of them individually, with their row numbers in the file. */
export function rejectionLines(faults: Faults, noun: Counted): readonly string[] {
  const { rejected, errors } = faults
  const lines = kindLines(faults)
  const said = (faults: readonly Pick<ShownRejection, 'message' | 'code'>[]): string =>
    faults.map(({ message, code }) => `${message} (${code})`).join('; ')
  lines.push(...errors.map((error) => `${noun} ${error.row}: ${said([error, ...(error.further ?? [])])}`))
  if (rejected > errors.length) lines.push(`... and ${formatCount(rejected - errors.length)} more`)
  return lines
}

const kindsShown = 10

/** The number of rows with each fault; empty for a single rejected row. */
function kindLines({ rejected, kinds }: Faults): string[] {
  if (rejected < 2) return []
  const listed = kinds.reduce((sum, { rows }) => sum + rows, 0)
  const lines = kinds.slice(0, kindsShown).map(({ code, field, rows }) => {
    return `${formatCount(rows)} ${code}${field === null ? '' : ` in ${field}`}`
  })
  if (kinds.length > kindsShown) lines.push(`... and ${kinds.length - kindsShown} other faults`)
  const of = listed < rejected ? `faults of the first ${formatCount(listed)} rejected rows` : 'faults'
  return [`${of}: ${lines.join(', ')}`]
}

/** The pushes with rejected rows, and the command that lists those rows with the key of the push. */
function batchLines({ rejected, batches }: PushReport, ingest: string): string[] {
  if (rejected === 0) return []
  const lines = batches.map((one) => `batch ${one.batch}: ${formatCount(one.rejected)} rejected`)
  const one = onlyBatch({ rejected, batches })
  const only = one === null ? '' : ` --batch ${one}`
  return [...lines, `The rejected rows are kept. With the same key: tidemark rejected list ${ingest} --mine${only}`]
}

/** The push that contains all rejected rows; null if there are several. */
function onlyBatch({ rejected, batches }: Pick<PushReport, 'rejected' | 'batches'>): string | null {
  const [first] = batches
  return batches.length === 1 && first?.rejected === rejected ? first.batch : null
}

/** The names of the ingest and of the first rows, and the first time of a file of lines (null if it has none). */
export interface NamesOfPush {
  readonly ingest: string
  readonly known: KnownIngest
  readonly firstRows: FirstRows
  readonly lineTime: FirstLineTime | null
}

/** A warning about a time that was likely read otherwise than meant. Such a row is stored, unless its time is out of range. */
export function misreadLines({ known, firstRows, lineTime }: NamesOfPush): readonly string[] {
  if (lineTime !== null) return precisionLines(lineTime)
  const found = firstRows.misread(known)
  if (found === null) return []
  const { row, property } = found
  return [misreadText(found, `${property} of ${row === 1 ? 'the first row' : `row ${row}`}`)]
}

function precisionLines(lineTime: FirstLineTime): readonly string[] {
  const found = lineTime.likelyPrecision()
  if (found === null) return []
  const { time, given, likely } = found
  const [read, meant] = [found.givenMs, found.likelyMs].map(formatInstant)
  return [
    `The first time in the file, ${time}, is read as ${precisionNames[given]}: ${read}. As ${precisionNames[likely]} it is ${meant}: if that is right, give --precision ${likely}.`,
  ]
}

/** The likely right names of JSON rows, and how to rename rejected rows. `batch`: undefined if none are kept, null if there are several batches. */
export function nameLines(
  { kinds }: Faults,
  { ingest, known, firstRows }: NamesOfPush,
  batch: string | null | undefined,
): readonly string[] {
  const renames = firstRows.likelyRenames(kinds, known)
  const fields = `The fields of ${ingest} are ${[...known.types.keys()].join(', ')}.`
  if (renames === null) return hasUnknownNames(kinds, known.types) ? [fields] : []
  const pairs = [...renames].map(([name, field]) => `${escapedPart(name)}=${field}`).join(',')
  const inFile = `${fields} By its first row, the file may need the names ${pairs}: rename them there`
  if (batch === undefined) return [`${inFile}.`]
  const which = batch === null ? '--all' : `--batch ${batch}`
  return [
    `${inFile} and push again, or rename the rejected rows, with an admin key: tidemark rejected replay ${ingest} ${which} --rename ${shellWord(pairs)} --dry-run`,
  ]
}

/** CSV options that may fix rejected rows. */
export function csvHints(
  faults: Faults,
  { timeFormat, convert }: Pick<CsvOptions, 'timeFormat' | 'convert'>,
): readonly string[] {
  const given = parsePairs('--convert', convert)
  return [...timeLines(faults, timeFormat), ...numberLines(faults), ...conversionLines(faults, given)]
}

/** The option for a file that could not be read to its end; null if no option helps. */
export function choiceHint(readError: unknown): string | null {
  const isAmbiguous = readError instanceof Error && readError.cause instanceof AmbiguousTimeError
  return isAmbiguous ? 'Choose with --ambiguous earlier or --ambiguous later.' : null
}

/** Options for the likely format of rejected times. */
function timeLines({ errors }: Faults, given: string | undefined): string[] {
  const hint = timeHint(errors, given)
  if (hint === null) return []
  const options = hint.formats.map((format) => `--time-format ${/\W/.test(format) ? `"${format}"` : format}`)
  const local = hint.formats.some((format) => !epochUnits.some((unit) => unit === format))
    ? ', and --time-zone if the times are not UTC'
    : ''
  return [`For times like "${hint.example}" use ${options.join(' or ')}${local}.`]
}

function conversionLines({ errors }: Faults, given: ReadonlyMap<string, string>): string[] {
  const others = conversionHints(errors).filter(({ property, conversion }) => given.get(property) !== conversion)
  return others.map(({ property, example, conversion }) => {
    const pair = shellWord(`${escapedPart(property)}=${conversion}`)
    return `Values like ${JSON.stringify(example)} in ${property} are read with --convert ${pair}.`
  })
}

function numberLines({ errors }: Faults): string[] {
  const hint = numberHint(errors)
  if (hint === null) return []
  const { example, is } = hint
  if (is === 'comma') return [`For numbers like "${example}" use --decimal comma.`]
  if (is === 'point') return [`Numbers like "${example}" have a decimal point: they are read without --decimal comma.`]
  const [mark, read] = example.includes(',')
    ? ['comma', '--decimal comma']
    : ['point', 'A push without --decimal comma']
  return [
    `The ${mark} in "${example}" may separate thousands or be the decimal sign. ${read} reads ${example.replace(',', '.')}; if ${example.replace(/[.,]/, '')} is meant, write it like that in the file.`,
  ]
}

function whatIsOnDisk(result: SendResult, skipped: number, noun: Counted): string {
  const rows = acknowledgedUpTo(result, skipped)
  if (rows === null) {
    return `All ${noun}s up to ${result.lastRow}, except those named above, are on disk; nothing after them was sent.`
  }
  if (isInDoubt(result)) {
    const before = rows === skipped ? '' : `All ${noun}s before ${noun} ${rows + 1} are on disk. `
    return `${before}Check which of the later ones are stored before you continue with --skip-rows ${rows}: stored ones would be stored twice, unless the ingest replaces rows of the same time.`
  }
  if (result.acknowledgedRows === 0) return `No ${result.failed.length === 0 ? '' : 'other '}${noun} was sent.`
  return `All ${noun}s before ${noun} ${rows + 1} are on disk, none after. Correct the fault and continue with --skip-rows ${rows}.`
}

/** Where `--stop-after` ended a push, and how to continue. */
export function stoppedText(
  result: SendResult,
  why: StopReason,
  { skipRows, stopAfter = 0 }: { readonly skipRows: number; readonly stopAfter?: number },
  noun: Counted,
): string {
  const last = Math.max(result.lastRow, skipRows)
  const reason =
    why === 'rejected' ? `${formatCount(stopAfter)} rows or more are rejected` : 'the outcome of the rows is unknown'
  return `Stopped: ${reason} (--stop-after). ${noun === 'row' ? 'Rows' : 'Lines'} up to ${last} were sent and are on disk, nothing after them. To continue: --skip-rows ${last}.`
}

/** Why rows are pending: their receipts could not be read. */
export function unknownOutcomeText({ pending }: PushOutcome, error: unknown): string {
  const reason = messageOf(error)
  return `The outcome of ${formatCount(pending)} rows, which are on disk, is unknown: ${reason}`
}

/** What failed and how to continue, or null if all rows were acknowledged. */
export function failureReport(
  result: SendResult,
  skipped: number,
  noun: Counted,
  lineOf?: (row: number) => number | null,
): string | null {
  const sentences = failureSentences(result, noun, lineOf)
  if (sentences.length === 0) return null
  const hint = choiceHint(result.readError)
  return [...sentences, ...(hint === null ? [] : [hint]), whatIsOnDisk(result, skipped, noun)].join('\n')
}
