// Copies one entity or table of metadata, and compares both ends afterwards.
import { randomUUID } from 'node:crypto'
import type { IngestAnswer } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import { halvesOf } from '../../client/push-batch.ts'
import { batchesOf } from '../../file-push/batches.ts'
import { rowBytesMax } from '../../file-push/rows.ts'
import { given } from '../../lib/given.ts'
import { jsonMembers } from '../../lib/json-members.ts'
import { JsonRows } from '../../lib/json-rows.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import { CommandError } from '../command-error.ts'
import type { CopyRoute } from './copy-definitions.ts'
import { renamed } from './pieces.ts'
import { type CopyJob, type Sent, sendAll, withNotedRetries } from './sending.ts'
import { type CopyDates, copySeries } from './series.ts'

/** The result for one entity or table. */
export interface CopiedOne extends CopyCounts, Verdict {
  readonly name: string
  readonly ingest: string
}

/** How long the target's counts may lag behind its receipts. */
const lagMs = 60_000
const pollMs = 500

/** The number of rows of an entity or items of a table; 0 if it does not exist yet. */
async function countOf(client: TidemarkClient, { name, kind }: CopyRoute): Promise<number> {
  if (kind === 'series') return (await client.entities()).find(({ entity }) => entity === name)?.rows ?? 0
  return (await client.metadata()).find(({ entity }) => entity === name)?.items ?? 0
}

async function settledCount(job: CopyJob, route: CopyRoute, expected: number | null): Promise<number> {
  const { nowMs, sleep } = job.context
  const startMs = nowMs()
  for (;;) {
    const count = await countOf(job.target, route)
    if (expected === null || count >= expected || nowMs() - startMs > lagMs) return count
    await sleep(pollMs)
  }
}

async function send(
  job: CopyJob,
  route: CopyRoute,
  ingest: IngestAnswer,
  dates: CopyDates,
  items: number,
): Promise<Sent> {
  if (route.kind === 'metadata') return copyItems(job, ingest, items)
  const entity = (await job.source.entities()).find((other) => other.entity === route.name)
  if (entity === undefined)
    throw new CommandError(`The entity ${route.name} was deleted from the source during the copy.`)
  return copySeries(job, { entity, ingest, dates })
}

/** Copies the rows or items of a route; resolves when the target has validated them. */
export async function copyOne(job: CopyJob, route: CopyRoute, dates: CopyDates): Promise<CopiedOne> {
  const { source, target, context } = job
  const ingest = await target.ingest(route.alias)
  const sourceBefore = await countOf(source, route)
  const targetBefore = await countOf(target, route)
  const unit = route.kind === 'series' ? 'rows' : 'items'
  if (targetBefore > 0 && route.kind === 'series' && ingest.duplicates !== 'replace') {
    context.stderr.write(
      `${route.name}: the target has ${targetBefore} rows already. Rows of a copy that was interrupted less than 24 hours ago are ` +
        'not stored twice; any other rows would be.\n',
    )
  }
  const { copied, rejected, pending, errors } = await send(job, route, ingest, dates, sourceBefore)
  const partial = route.kind === 'series' && (dates.fromMs !== null || dates.toMs !== null)
  const sourceAfter = await countOf(source, route)
  const counts = { unit, copied, rejected, pending, sourceBefore, sourceAfter, targetBefore, partial } as const
  // Rejected or hidden rows would never be counted, so waiting for them is useless.
  const expected = expectedAfter(counts)
  const whole = rejected === 0 && pending === 0 && (partial || copied >= sourceAfter)
  const targetAfter = await settledCount(job, route, whole ? expected : null)
  const verdict = verdictOf({ ...counts, targetAfter })
  const faults = errors.map(({ message, code }) => `${message} (${code})`)
  const notes = [...(route.note === null ? [] : [route.note]), ...verdict.notes]
  return {
    name: route.name,
    ingest: route.alias,
    ...counts,
    targetAfter,
    problems: [...verdict.problems, ...faults],
    notes,
  }
}

// Whether the target has everything that the source has, at the end.

export interface CopyCounts extends Pick<Sent, 'copied' | 'rejected' | 'pending'> {
  readonly unit: 'rows' | 'items'
  /** Counts before the copy began and after it ended. */
  readonly sourceBefore: number
  readonly sourceAfter: number
  readonly targetBefore: number
  readonly targetAfter: number
  /** Whether dates excluded some rows. */
  readonly partial: boolean
}

interface Verdict {
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

/** The expected count at the target; null if it cannot be known because the target had some rows before. */
function expectedAfter(counts: Omit<CopyCounts, 'targetAfter'>): number | null {
  if (counts.targetBefore > 0) return counts.partial ? null : Math.max(counts.targetBefore, counts.sourceAfter)
  return counts.partial ? counts.copied : counts.sourceAfter
}

/** Sentences about problems, and notes for the user. */
export function verdictOf(counts: CopyCounts): Verdict {
  const { unit, copied, rejected, pending, sourceBefore, sourceAfter, targetBefore, targetAfter, partial } = counts
  const problems: string[] = []
  const notes: string[] = []
  if (rejected > 0) problems.push(`the target rejected ${rejected} ${unit}`)
  if (pending > 0) problems.push(`the target has not validated ${pending} ${unit} yet`)
  if (targetBefore > 0) {
    notes.push(
      `the target had ${targetBefore} ${unit} before; it has ${targetAfter} now, the source has ${sourceAfter}`,
    )
    return { problems, notes }
  }
  const expected = partial ? copied : sourceAfter
  if (targetAfter === expected) return { problems, notes }
  problems.push(
    partial
      ? `${copied} ${unit} were copied, and the target has ${targetAfter}`
      : `the source has ${sourceAfter} ${unit}, and the target ${targetAfter}`,
  )
  if (sourceAfter !== sourceBefore)
    problems.push(`the source had ${sourceBefore} ${unit} when the copy began: rows are still pushed to it`)
  else if (!partial && copied < sourceAfter) {
    notes.push(
      `the source shows ${copied} of its ${sourceAfter} ${unit}; rows without a value in any metric, and rows older than the retention, are never shown`,
    )
  }
  return { problems, notes }
}

const bytesMax = 4 * 1024 * 1024
const pageItems = 1000

async function* pagesOf(job: CopyJob, table: string, progress: ProgressBar): AsyncGenerator<readonly Uint8Array[]> {
  for (let token: string | null | undefined; token !== null; ) {
    const page = given({ limit: pageItems, token })
    const text = await withNotedRetries(job, progress, () => job.source.itemsText(table, [], page))
    const answer = new Map(jsonMembers(text).map(({ name, value }) => [name, value]))
    const items = new JsonRows({ rowBytesMax })
    yield items.push(Buffer.from(answer.get('Items') ?? '[]'))
    items.end()
    token = JSON.parse(answer.get('NextToken') ?? 'null')
  }
}

async function* rowsOf(
  pages: AsyncIterable<readonly Uint8Array[]>,
  sources: ReadonlyMap<string, string>,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const items of pages) yield items.map((item) => renamed(item, sources))
}

/** Copies a table's items into the metadata ingest of the target. Idempotent. */
function copyItems(job: CopyJob, ingest: IngestAnswer, items: number): Promise<Sent> {
  const { stderr, nowMs } = job.context
  const progress = new ProgressBar({ output: stderr, nowMs, total: items })
  const sources = new Map(ingest.fields.map(({ name, source }) => [name, source]))
  const rows = rowsOf(pagesOf(job, ingest.alias, progress), sources)
  return sendAll(job, batchesOf(rows, { rowsMax: pageItems, bytesMax, format: 'json', skipRows: 0 }), {
    ingest: ingest.alias,
    format: 'json',
    keyOf: () => randomUUID(),
    halves: (batch) => halvesOf(batch, 'json'),
    progress,
  })
}
