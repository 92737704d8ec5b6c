// One entity or table of metadata: copied, and then compared at both ends.
import type { IngestAnswer } from '../../client/answers.ts'
import type { TidemarkClient } from '../../client/client.ts'
import { CommandError } from '../command-error.ts'
import { type CopyCounts, expectedAfter, type Verdict, verdictOf } from './check.ts'
import type { CopyRoute } from './copy-definitions.ts'
import { copyItems } from './copy-items.ts'
import type { CopyJob, Sent } from './sending.ts'
import { type CopyDates, copySeries } from './series.ts'

/** What became of one entity or table. */
export interface CopiedOne extends CopyCounts, Verdict {
  readonly name: string
  readonly ingest: string
}

/** How long the target's counts may lag behind its receipts. */
const lagMs = 60_000
const pollMs = 500

/** The rows of an entity or items of a table; 0 for one that is not there yet. */
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
  if (entity === undefined) throw new CommandError(`The entity ${route.name} was deleted from the source meanwhile.`)
  return copySeries(job, { entity, ingest, dates })
}

/** Copies what a route names, and resolves once the target has validated it. */
export async function copyOne(job: CopyJob, route: CopyRoute, dates: CopyDates): Promise<CopiedOne> {
  const { source, target, context } = job
  const ingest = await target.ingest(route.alias)
  const sourceBefore = await countOf(source, route)
  const targetBefore = await countOf(target, route)
  const unit = route.kind === 'series' ? 'rows' : 'items'
  if (targetBefore > 0 && route.kind === 'series' && ingest.duplicates !== 'replace') {
    context.stderr.write(
      `${route.name}: the target has ${targetBefore} rows already. Rows of a copy that was interrupted less than 24 hours ago are ` +
        'not stored twice; others would be.\n',
    )
  }
  const { copied, rejected, pending, errors } = await send(job, route, ingest, dates, sourceBefore)
  const partial = route.kind === 'series' && (dates.fromMs !== null || dates.toMs !== null)
  const sourceAfter = await countOf(source, route)
  const counts = { unit, copied, rejected, pending, sourceBefore, sourceAfter, targetBefore, partial } as const
  // Rows that were rejected or are not shown will not come, however long one waits.
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
