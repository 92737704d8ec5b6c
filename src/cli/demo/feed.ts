import type { TidemarkClient } from '../../client/client.ts'
import { withRetries } from '../../client/retries.ts'
import { messageOf } from '../../lib/message-of.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import type { CliContext } from '../context.ts'
import { formatCount } from '../push/report.ts'
import { pushExampleDay } from './example-day.ts'
import { instrumentsOf, rowsAt } from './plant.ts'

export const ingestAlias = 'plant'
const stepMs = 60_000
const ticksPerPush = 125
const retryMs = 30_000

export interface FeedOptions {
  readonly context: CliContext
  /** With the demo subscriber's key. */
  readonly client: TidemarkClient
  readonly admin: TidemarkClient
  readonly seed: number
  readonly quiet: boolean
  readonly signal: AbortSignal
}

export interface HistoryResult {
  readonly rows: number
  /** From the first push to the last acknowledgement. */
  readonly pushSeconds: number
  /** From then until all rows could be queried. */
  readonly settleSeconds: number
}

/** The date of the newest row that the service has, null if it has none. Every acknowledged row must be validated already. */
async function newestMs(client: TidemarkClient): Promise<number | null> {
  const entity = (await client.entities()).find(({ ingests }) => ingests.includes(ingestAlias))
  return entity?.last_date == null ? null : Date.parse(entity.last_date)
}

/** Waits until every acknowledged row of the ingest is stored or rejected. */
async function settled({ context, admin, signal }: FeedOptions): Promise<void> {
  while (!signal.aborted && (await admin.ingest(ingestAlias)).counters.pending > 0) await context.sleep(50, signal)
}

/**
 * Pushes the example day where it is missing, and what is missing between `historyStartMs` and now: one row of each instrument a
 * minute. The pushes go one at a time, in order of time, and each holds whole minutes. So the newest row shows how far an earlier
 * start came.
 */
export async function pushHistory(options: FeedOptions, historyStartMs: number): Promise<HistoryResult> {
  const { context, client, seed, quiet, signal } = options
  const { nowMs } = context
  const sleep = (ms: number) => context.sleep(ms, signal)
  await settled(options)
  const newest = await newestMs(client)
  const startMs = nowMs()
  let rows = await pushExampleDay({ context, client, ingest: ingestAlias, seed, signal })
  const firstMs =
    newest === null ? historyStartMs : Math.max(historyStartMs, (Math.floor(newest / stepMs) + 1) * stepMs)
  const instruments = instrumentsOf(seed)
  const ticks = Math.max(0, Math.floor((nowMs() - firstMs) / stepMs) + 1)
  const body = (from: number): string => {
    const count = Math.min(ticksPerPush, ticks - from)
    return Array.from({ length: count }, (_, index) =>
      rowsAt(seed, instruments, firstMs + (from + index) * stepMs),
    ).join('')
  }
  const progress = new ProgressBar({ output: context.stderr, nowMs, total: ticks })
  let next = body(0)
  for (let from = 0; from < ticks && !signal.aborted; from += ticksPerPush) {
    const current = next
    const attempt = () => {
      signal.throwIfAborted()
      return client.push(ingestAlias, current, { format: 'ndjson' })
    }
    const pushed = withRetries(attempt, { nowMs, sleep, retryMs, onRetry: () => {} })
    // The next body is made while this one is on its way.
    if (from + ticksPerPush < ticks) next = body(from + ticksPerPush)
    rows += (await pushed).rows
    const rate = (rows * 1000) / Math.max(1, nowMs() - startMs)
    if (!quiet) progress.update(from + ticksPerPush, () => `${formatCount(rows)} rows, ${formatCount(rate)} rows/s`)
  }
  if (!quiet) progress.end()
  const pushedMs = nowMs()
  await settled(options)
  return { rows, pushSeconds: (pushedMs - startMs) / 1000, settleSeconds: (nowMs() - pushedMs) / 1000 }
}

/** Pushes one row of each instrument a second until the signal comes. A second that fails is told of and left out. */
export async function pushLive({ context, client, seed, quiet, signal }: FeedOptions): Promise<void> {
  const instruments = instrumentsOf(seed)
  let pushed = 0
  const progress = new ProgressBar({ output: context.stderr, nowMs: context.nowMs, total: null })
  while (!signal.aborted) {
    await context.sleep(1000 - (context.nowMs() % 1000), signal)
    if (signal.aborted) break
    const secondMs = Math.floor(context.nowMs() / 1000) * 1000
    try {
      pushed += (await client.push(ingestAlias, rowsAt(seed, instruments, secondMs), { format: 'ndjson' })).rows
      if (!quiet && context.stderr.isTTY) progress.update(0, () => `${formatCount(pushed)} live rows so far`)
    } catch (error) {
      if (!signal.aborted) progress.note(`A push failed: ${messageOf(error)}`)
    }
  }
  progress.end()
}
