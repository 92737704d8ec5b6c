// The options of a writer, and the outcomes of its batches.
import { given } from '../lib/given.ts'
import type { Accepted, Receipt } from './answers.ts'
import type { WriterClock } from './clock.ts'
import { defaultWaits } from './retries.ts'

export interface IngestWriterOptions {
  /** The most rows of a batch. Default 10,000. */
  readonly maxBatchRows?: number
  /** The most bytes of a batch's rows; a larger row is sent alone. Default 4 MiB. */
  readonly maxBatchBytes?: number
  /** How long the first row of a batch waits for others, in milliseconds. Default 1,000. */
  readonly flushIntervalMs?: number
  /** The most bytes of rows in the buffer, waiting and in flight together. `write` waits while it is full. Default 64 MiB. */
  readonly maxBufferedBytes?: number
  /** The most batches in flight. Default 1, which keeps the order of the rows. */
  readonly maxConcurrentPushes?: number
  /** How long a batch is retried before it fails. Default 23 hours: the service keeps an idempotency key for 24. */
  readonly retryMs?: number
  /** The most retries of a batch; 0 pushes it once. Default: limited only by `retryMs`. */
  readonly maxRetries?: number
  /** The wait before the first retry of a batch; each further wait is twice as long. Default 250. */
  readonly firstRetryWaitMs?: number
  /** The longest of these waits, unless the service requests a longer one. Default 10,000. */
  readonly maxRetryWaitMs?: number
  /** How long one push waits for its response before it is retried. Default 60,000. */
  readonly pushTimeoutMs?: number
  /** Waits until rows can be queried, so that the outcome of a batch is its receipt, which lists the rejected rows. */
  readonly waitForReceipts?: boolean
  /** Called with the outcome of each batch. */
  readonly onBatch?: (outcome: BatchOutcome) => void
  /** Called before a batch is retried after `waitMs`. By default the first such error, and then one per minute, goes to `console.warn`. */
  readonly onRetry?: (error: Error, waitMs: number) => void
  /** Whether the same push may succeed later. Default: if there was no response, or one that says so. */
  readonly isRetryable?: (error: unknown) => boolean
  /** Ends all waits: batches that are not acknowledged by then fail with its reason. */
  readonly signal?: AbortSignal
  readonly clock?: WriterClock
  /** Returns 0 to 1, for the waits between retries. */
  readonly random?: () => number
  /** The prefix of this writer's idempotency keys; must differ between writers. */
  readonly id?: string
}

interface ReportedBatch {
  /** Number of its first row among all written rows, from 1. */
  readonly firstRow: number
  readonly rows: number
  readonly idempotencyKey: string
  readonly attempts: number
}

/** The rows are on disk. With `waitForReceipts` the answer is the receipt, unless `limits.ingestWaitMs` elapsed first. */
export interface AcknowledgedBatch extends ReportedBatch {
  readonly state: 'acknowledged'
  readonly answer: Accepted | Receipt
}

/** The rows were not acknowledged. If `error` is a `ConnectionError` with `sent` true, it is unknown whether they were stored. */
export interface UnacknowledgedBatch extends ReportedBatch {
  readonly state: 'failed'
  readonly error: unknown
  /** The rows as JSON, for writing them elsewhere. */
  readonly texts: readonly string[]
}

export type BatchOutcome = AcknowledgedBatch | UnacknowledgedBatch

const defaults = {
  maxBatchRows: 10_000,
  maxBatchBytes: 4 * 1024 * 1024,
  flushIntervalMs: 1000,
  maxBufferedBytes: 64 * 1024 * 1024,
  maxConcurrentPushes: 1,
  retryMs: 23 * 60 * 60 * 1000,
  maxRetries: Number.POSITIVE_INFINITY,
  ...defaultWaits,
  pushTimeoutMs: 60_000,
  waitForReceipts: false,
}

const leastValues = [
  ['maxBatchRows', 1],
  ['maxBatchBytes', 1],
  ['maxBufferedBytes', 1],
  ['maxConcurrentPushes', 1],
  ['maxRetries', 0],
  ['firstRetryWaitMs', 1],
  ['maxRetryWaitMs', 1],
] as const

export type WholeOptions = IngestWriterOptions & typeof defaults

/** Fills in defaults. Throws `RangeError` if a number is out of range. */
export function wholeOptions(options: IngestWriterOptions): WholeOptions {
  const whole: WholeOptions = { ...defaults, ...given(options) }
  for (const [name, least] of leastValues) {
    const value = whole[name]
    if (value < least || !(Number.isInteger(value) || value === defaults[name]))
      throw new RangeError(`${name} is ${value}; it must be a whole number from ${least}.`)
  }
  return whole
}
