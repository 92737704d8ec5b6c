import type { TidemarkClient } from '../../client/client.ts'
import { withRetries } from '../../client/retries.ts'
import { messageOf } from '../../lib/message-of.ts'
import { ProgressBar } from '../../lib/progress-bar.ts'
import type { CliContext } from '../context.ts'
import { formatCount } from '../push/report.ts'
import { instrumentsOf, rowsAt } from './plant.ts'

export const ingestAlias = 'plant'
const stepMs = 60_000
const ticksPerPush = 125
const retryMs = 30_000

export interface FeedOptions {
  readonly context: CliContext
  /** A client with the demo subscriber's key. */
  readonly client: TidemarkClient
  readonly admin: TidemarkClient
  readonly seed: number
  readonly quiet: boolean
  readonly signal: AbortSignal
}

interface ExampleDayOptions extends Pick<FeedOptions, 'seed' | 'signal'> {
  readonly context: Pick<CliContext, 'nowMs' | 'sleep'>
  readonly client: Pick<TidemarkClient, 'push' | 'query'>
}

export interface HistoryResult {
  readonly rows: number
  /** From the first push to the last acknowledgement. */
  readonly pushSeconds: number
  /** From the last acknowledgement until all rows could be queried. */
  readonly settleSeconds: number
}

/** The date of the newest row in the service, null if there is none. Every acknowledged row must have been validated before the call. */
async function newestMs(client: TidemarkClient): Promise<number | null> {
  const entity = (await client.entities()).find(({ ingests }) => ingests.includes(ingestAlias))
  return entity?.last_date == null ? null : Date.parse(entity.last_date)
}

/** Waits until every acknowledged row of the ingest is stored or rejected. */
async function settled({ context, admin, signal }: FeedOptions): Promise<void> {
  while (!signal.aborted && (await admin.ingest(ingestAlias)).counters.pending > 0) await context.sleep(50, signal)
}

/** Pushes NDJSON, with retries until it is acknowledged; resolves with the number of rows. */
async function pushRows(
  { context, client, signal }: ExampleDayOptions,
  body: string,
  key: { readonly idempotencyKey?: string } = {},
): Promise<number> {
  const attempt = () => {
    signal.throwIfAborted()
    return client.push(ingestAlias, body, { format: 'ndjson', ...key })
  }
  const sleep = (ms: number) => context.sleep(ms, signal)
  return (await withRetries(attempt, { nowMs: context.nowMs, sleep, retryMs, onRetry: () => {} })).rows
}

/**
 * Pushes the example day if it is missing, and the missing rows between `historyStartMs` and now: one row per instrument and minute. Pushes are sent one
 * at a time, in order of time, and each contains whole minutes, so the newest row shows how far an earlier start got.
 */
export async function pushHistory(options: FeedOptions, historyStartMs: number): Promise<HistoryResult> {
  const { context, client, seed, quiet, signal } = options
  const { nowMs } = context
  await settled(options)
  const newest = await newestMs(client)
  const startMs = nowMs()
  let rows = await pushExampleDay(options)
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
    const pushed = pushRows(options, next)
    // The next body is made while this one is being sent.
    if (from + ticksPerPush < ticks) next = body(from + ticksPerPush)
    rows += await pushed
    const rate = (rows * 1000) / Math.max(1, nowMs() - startMs)
    if (!quiet) progress.update(from + ticksPerPush, () => `${formatCount(rows)} rows, ${formatCount(rate)} rows/s`)
  }
  if (!quiet) progress.end()
  const pushedMs = nowMs()
  await settled(options)
  return { rows, pushSeconds: (pushedMs - startMs) / 1000, settleSeconds: (nowMs() - pushedMs) / 1000 }
}

/** Pushes one row per instrument and second until the signal is aborted. A failed second is reported and skipped. */
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

/** The day that the examples of the guides and of `--help` query. Every demo has it. */
export const exampleDay = '2026-01-01'

const minutesOfDay = 1440

/**
 * Pushes one row per instrument for each minute of the example day, unless the day exists. It is a single push, so the day is stored whole or not at all.
 * Resolves with the number of rows pushed.
 */
export async function pushExampleDay(options: ExampleDayOptions): Promise<number> {
  const { client, seed } = options
  const firstMs = Date.parse(exampleDay)
  const instruments = instrumentsOf(seed)
  const { tag } = instruments[0]!
  const there = await client.query('select', {
    entity: ingestAlias,
    ids: [tag],
    start_date: exampleDay,
    end_date: 'PT0S',
  })
  if (there.length > 0) return 0
  const body = Array.from({ length: minutesOfDay }, (_, minute) =>
    rowsAt(seed, instruments, firstMs + minute * stepMs),
  ).join('')
  return pushRows(options, body, { idempotencyKey: `demo-${exampleDay}` })
}

// Faulty rows such as a real plant pushes, so that the portal has something to repair.

const rowsEach = 12

/** NDJSON of rows that are all rejected: string values, an unknown property, and missing or invalid times. */
export function faultyRows(seed: number, nowMs: number): string {
  const tags = instrumentsOf(seed).map(({ tag }) => tag)
  const at = (index: number): string => new Date(nowMs - index * 60_000).toISOString()
  const rows = Array.from({ length: rowsEach }, (_, index) => {
    const T = tags[(index * 7) % tags.length]
    return [
      { D: at(index), T, V: index % 2 === 0 ? 'bad input' : '21,5' },
      { D: at(index), T, V: 20 + index, quality: 192 },
      { D: at(index), T, V: 30 + index, quality: 0 },
      ...(index % 3 === 0
        ? [
            { D: `${14 + index}.01.2026 08:00`, T, V: index },
            { T, V: index },
          ]
        : []),
    ]
  })
  return rows
    .flat()
    .map((row) => `${JSON.stringify(row)}\n`)
    .join('')
}

/** Pushes the faulty rows once in the life of a demo. */
export async function pushFaulty(
  client: TidemarkClient,
  admin: TidemarkClient,
  seed: number,
  nowMs: number,
): Promise<void> {
  if ((await admin.ingest(ingestAlias)).counters.rejected > 0) return
  await client.push(ingestAlias, faultyRows(seed, nowMs), { format: 'ndjson' })
}

/** The ingest for the demo's metadata: a description of each instrument, by its tag. */
export const tagsAlias = 'tags'

export const tagFields = [
  { name: 'tag', type: 'string', role: 'index' },
  { name: 'description', type: 'string', role: 'attribute' },
  { name: 'area', type: 'string', role: 'attribute' },
  { name: 'unit', type: 'string', role: 'attribute' },
  { name: 'usual', type: 'double', role: 'attribute' },
] as const

/** Pushes an item for each instrument; an existing one is replaced by an identical one. */
export async function pushTags(client: Pick<TidemarkClient, 'push'>, seed: number): Promise<void> {
  const items = instrumentsOf(seed).map(({ tag, area, unit, quantity, base }) => ({
    tag,
    description: `${quantity} in the ${area} area`,
    area,
    unit,
    usual: Math.round(base * 10) / 10,
  }))
  await client.push(tagsAlias, JSON.stringify(items), { format: 'json' })
}
