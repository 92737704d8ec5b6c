// A program as a user writes it. It is type-checked against the packed package, and run.
import {
  type BatchOutcome,
  ConnectionError,
  type ErrorCode,
  type ProblemCode,
  type Receipt,
  ServiceError,
  Tidemark,
} from 'tidemark/client'
// Types only: the code needs the package's dependencies.
import type { ConnectorCounts, pushMessages } from 'tidemark/mqtt'

const tidemark = new Tidemark({ url: process.env['TIDEMARK_URL'] ?? 'http://127.0.0.1:65531', key: 'k' })

export async function run(): Promise<number> {
  const reported: BatchOutcome[] = []
  const writer = tidemark.writer('plant', {
    maxBatchRows: 100,
    maxBatchBytes: 1024,
    flushIntervalMs: 50,
    maxBufferedBytes: 4096,
    retryMs: 0,
    maxRetries: 3,
    firstRetryWaitMs: 100,
    maxRetryWaitMs: 1000,
    onBatch: (outcome) => reported.push(outcome),
  })
  await writer.write({ D: new Date(), T: 'boiler.temp', V: 81.5 })
  const { rows, acknowledged, failed } = await writer.close()
  const [first] = reported
  if (first?.state === 'failed' && first.error instanceof ServiceError)
    console.log(first.error.code, first.error.status)
  if (first?.state === 'failed' && first.error instanceof ConnectionError) console.log(first.error.sent)
  if (first?.state === 'acknowledged') console.log(first.answer.batch)
  return rows + acknowledged + failed
}

export async function read(): Promise<Receipt> {
  for await (const { D, V } of tidemark.select<{ D: string; V: number }>({ entity: 'plant' }))
    console.log(D.length, V + 1)
  for await (const row of tidemark.sqlRows('SELECT 1 AS one')) console.log(row['one'])
  const arrow: Uint8Array = await tidemark.sqlArrow('SELECT 1 AS one')
  console.log(arrow.byteLength)
  const ingest = await tidemark.createIngest({ alias: 'plant', kind: 'series' })
  const state: 'active' | 'blocked' = ingest.state
  // @ts-expect-error: the types are those of the service's schemas, which have no such kind.
  await tidemark.createIngest({ alias: state, kind: 'other' })
  return tidemark.receipt('plant', 'b')
}

/** The service's codes are known by name; unknown codes of a newer service are accepted too. */
export function isBusy(code: ErrorCode): boolean {
  const busy: readonly ProblemCode[] = ['overloaded', 'unavailable']
  // @ts-expect-error: no problem of the service has this code.
  const misspelt: ProblemCode = 'overlaoded'
  const newer: ErrorCode = 'of_next_year'
  return code !== newer && code !== misspelt && busy.some((one) => one === code)
}

export async function connect(push: typeof pushMessages, signal: AbortSignal): Promise<number> {
  const options = { client: tidemark, broker: 'mqtt://127.0.0.1', subscribe: ['plant/#'], ingest: 'plant', signal }
  const counts: ConnectorCounts = await push({ ...options, topic: 'plant/{T}', onNote: (text) => console.log(text) })
  return counts.rows
}

console.log(await run())
