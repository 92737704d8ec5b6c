import type { EntityDescription, IngestAnswer } from '../../client/answers.ts'
import type { DataQueryRequest } from '../../client/request-options.ts'
import { ServiceError } from '../../client/service-error.ts'
import { rowBytesMax } from '../../file-push/rows.ts'
import { given } from '../../lib/given.ts'
import { jsonMembers } from '../../lib/json-members.ts'
import { LineSplitter } from '../../lib/line-splitter.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import { earliestMs, formatInstant, latestMs, msPerDay, parseInstant } from '../../model/instant.ts'
import { codingOf, qualityOf, qualityWords } from '../../model/quality.ts'
import { UsageError } from '../command-error.ts'
import { type CopyRange, type WindowedSource, windowsOf } from './copy-windows.ts'
import { copyPiecesOf, halvesOfPiece, type PieceRules } from './pieces.ts'
import { hasTies, inPushedOrder } from './pushed-order.ts'
import { type CopyJob, type Sent, sendAll, withNotedRetries } from './sending.ts'

/** The dates of `--from` (inclusive) and `--to` (exclusive); null means unbounded. */
export interface CopyDates {
  readonly fromMs: number | null
  readonly toMs: number | null
}

const rowsMax = 10_000
const bytesMax = 4 * 1024 * 1024
/** The most bytes of a response to read before a narrower window is requested. */
const windowBytesMax = 64 * 1024 * 1024
/** Error codes that mean that a smaller window must be requested. */
const tooMuchCodes = ['result_too_large', 'query_timeout']

type ShownFields = Pick<DataQueryRequest, 'fields' | 'quality'>

function isGood(row: Uint8Array, field: EntityDescription['fields'][number] | null): boolean {
  if (field === null) return true
  const member = jsonMembers(Buffer.from(row).toString()).find(({ name }) => name === field.name)
  return qualityOf(JSON.parse(member?.value ?? 'null'), codingOf(field)) === 'good'
}

/** The source's rows of an entity, by date and tags; rows of one date and tags in the order in which they were pushed. */
function windowedSource(job: CopyJob, entity: EntityDescription, progress: ProgressBar): WindowedSource {
  const named = (role: string): string[] => entity.fields.filter((field) => field.role === role).map(({ name }) => name)
  const [first, ...tags] = named('tag')
  const dimensions = named('dimension')
  const quality = entity.fields.find(({ role }) => role === 'quality') ?? null
  const [member] = [...dimensions, ...named('quality')]
  const [metric = ''] = named('metric')
  const all = quality === null ? {} : { quality: qualityWords }
  const read = async ({ startMs, endMs }: CopyRange, shown: ShownFields): Promise<readonly Uint8Array[] | null> => {
    const dates = { start_date: formatInstant(startMs), end_date: formatInstant(endMs) }
    const request = { entity: entity.entity, ...shown, ...dates }
    const splitter = new LineSplitter({ lineBytesMax: rowBytesMax })
    const lines: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of job.source.queryBytes('select', request, 'ndjson')) {
      bytes += chunk.length
      if (bytes > windowBytesMax && endMs > startMs) return null
      for (const line of splitter.push(chunk)) lines.push(line)
    }
    for (const line of splitter.end()) lines.push(line)
    return lines
  }
  const select = (range: CopyRange, shown: ShownFields): Promise<readonly Uint8Array[] | null> =>
    withNotedRetries(job, progress, () => read(range, shown)).catch(nullWhereTooMuch)
  return {
    select: async (range) => {
      const rows = await select(range, { fields: [...tags, ...dimensions], ...all })
      if (rows === null || member === undefined || !hasTies(rows, member)) return rows
      const plain = await select(range, { fields: tags })
      return plain === null
        ? null
        : inPushedOrder(rows, plain, { member, metric, isGood: (row) => isGood(row, quality) })
    },
    nextMs: async (afterMs) => {
      // Only the first date is needed, not the row of each combination of tags.
      const request = {
        entity: entity.entity,
        ...given({ id_name_field: first }),
        ...all,
        date: formatInstant(afterMs),
      }
      const rows = await withNotedRetries(job, progress, () => job.source.query('next', request)).catch(
        nullWhereTooMuch,
      )
      // There are too many tags to get the next row of each; the next window will do.
      if (rows === null) return afterMs + 1
      return firstDate(rows.map((row) => row[entity.time_field]))
    },
  }
}

function nullWhereTooMuch(error: unknown): null {
  if (error instanceof ServiceError && tooMuchCodes.includes(error.code)) return null
  throw error
}

function firstDate(dates: readonly unknown[]): number | null {
  let first: number | null = null
  for (const date of dates) {
    const ms = parseInstant(String(date))
    if (ms !== null && (first === null || ms < first)) first = ms
  }
  return first
}

/** The range to read: the entity's own dates, limited by the options. */
function rangeOf(entity: EntityDescription, { fromMs, toMs }: CopyDates): CopyRange | null {
  if (entity.first_date === null || entity.last_date === null) return null
  const startMs = Math.max(parseInstant(entity.first_date) ?? earliestMs, fromMs ?? earliestMs)
  const endMs = Math.min(parseInstant(entity.last_date) ?? latestMs, toMs === null ? latestMs : toMs - 1)
  return startMs > endMs ? null : { startMs, endMs }
}

/** Identifies the rows of a day as selected: dates that cut through the day are part of it. */
function identityOf(sourceUrl: string, entity: string, { fromMs, toMs }: CopyDates) {
  return (day: string): string[] => {
    const dayMs = parseInstant(day) ?? earliestMs
    const cut = (ms: number | null): string =>
      ms !== null && ms > dayMs && ms < dayMs + msPerDay ? formatInstant(ms) : ''
    return [sourceUrl, entity, cut(fromMs), cut(toMs)]
  }
}

/** Copies an entity's rows into an ingest of the target. */
export async function copySeries(
  job: CopyJob,
  { entity, ingest, dates }: { entity: EntityDescription; ingest: IngestAnswer; dates: CopyDates },
): Promise<Sent> {
  const { stderr, nowMs } = job.context
  const progress = new ProgressBar({ output: stderr, nowMs, total: entity.rows })
  const range = rangeOf(entity, dates)
  if (range === null)
    return { copied: 0, stored: 0, rejected: 0, pending: 0, replaced: 0, errors: [], kinds: [], batches: [] }
  const rules: PieceRules = {
    identity: identityOf(job.source.url, entity.entity, dates),
    timeField: entity.time_field,
    sources: new Map(ingest.fields.map(({ name, source }) => [name, source])),
    rowsMax,
    bytesMax,
  }
  return sendAll(job, copyPiecesOf(windowsOf(range, windowedSource(job, entity, progress)), rules), {
    ingest: ingest.alias,
    format: 'ndjson',
    keyOf: ({ idempotencyKey }) => idempotencyKey,
    halves: halvesOfPiece,
    progress,
  })
}

/** Parses the date of an option. Throws `UsageError` if it is not a date. */
export function dateOption(option: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const ms = parseInstant(text)
  if (ms === null) throw new UsageError(`${option} must be a date such as 2026-01-01, not "${text}".`)
  return ms
}
