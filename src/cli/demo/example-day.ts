import type { TidemarkClient } from '../../client/client.ts'
import { withRetries } from '../../client/retries.ts'
import type { CliContext } from '../context.ts'
import { instrumentsOf, rowsAt } from './plant.ts'

/** The day that the examples of the guides and of `--help` ask for. Every demo has it. */
export const exampleDay = '2026-01-01'

const minuteMs = 60_000
const minutesOfDay = 1440
const retryMs = 30_000

export interface ExampleDayOptions {
  readonly context: Pick<CliContext, 'nowMs' | 'sleep'>
  readonly client: Pick<TidemarkClient, 'push' | 'query'>
  readonly ingest: string
  readonly seed: number
  readonly signal: AbortSignal
}

/**
 * Pushes one row of each instrument for each minute of the example day, unless the day is there. It is one push, so the day is there
 * whole or not at all. Resolves with the number of rows pushed.
 */
export async function pushExampleDay({ context, client, ingest, seed, signal }: ExampleDayOptions): Promise<number> {
  const firstMs = Date.parse(exampleDay)
  const instruments = instrumentsOf(seed)
  const { tag } = instruments[0]!
  const there = await client.query('select', { entity: ingest, ids: [tag], start_date: exampleDay, end_date: 'PT0S' })
  if (there.length > 0) return 0
  const body = Array.from({ length: minutesOfDay }, (_, minute) =>
    rowsAt(seed, instruments, firstMs + minute * minuteMs),
  ).join('')
  const attempt = () => {
    signal.throwIfAborted()
    return client.push(ingest, body, { format: 'ndjson', idempotencyKey: `demo-${exampleDay}` })
  }
  const sleep = (ms: number) => context.sleep(ms, signal)
  const pushed = await withRetries(attempt, { nowMs: context.nowMs, sleep, retryMs, onRetry: () => {} })
  return pushed.rows
}
