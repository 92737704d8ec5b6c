// What a writer is told, and what it tells of its batches.
import { given } from '../lib/given.ts'
import type { Accepted, Receipt } from './answers.ts'
import type { WriterClock } from './clock.ts'
import { defaultWaits } from './retries.ts'

export interface IngestWriterOptions {
  /** The most rows of a batch. Default 10,000. */
  readonly maxBatchRows?: number
  /** The most bytes of a batch's rows; a larger row goes alone. Default 4 MiB. */
  readonly maxBatchBytes?: number
  /** How long the first row of a batch waits for others. Default 1,000. */
  readonly flushIntervalMs?: number
  /** The most bytes of rows that are held, waiting and in flight together. `write` waits while they are there. Default 64 MiB. */
  readonly maxBufferedBytes?: number
  /** How many batches are in flight. Default 1, which keeps the order of the rows. */
  readonly maxConcurrentPushes?: number
  /** How long a batch is tried again before it has failed. Default 23 hours: the service knows an idempotency key for 24. */
  readonly retryMs?: number
  /** The most times that a batch is tried again; 0 pushes it once. Default: no bound but `retryMs`. */
  readonly maxRetries?: number
  /** How long to wait before a batch is tried again; each further time twice as long. Default 250. */
  readonly firstRetryWaitMs?: number
  /** The longest of these waits, unless the service asks for a longer one. Default 10,000. */
  readonly maxRetryWaitMs?: number
  /** How long one push waits for its answer before it is tried again. Default 60,000. */
  readonly pushTimeoutMs?: number
  /** Waits until rows can be queried, so that the outcome of a batch is its receipt, with the rejected rows. */
  readonly waitForReceipts?: boolean
  /** What became of each batch. */
  readonly onBatch?: (outcome: BatchOutcome) => void
  /** A batch is tried again after this time. Without it the first such error, and then one a minute, goes to `console.warn`. */
  readonly onRetry?: (error: Error, waitMs: number) => void
  /** Whether the same push may go better later. By default where no answer came, or one that says so. */
  readonly isRetryable?: (error: unknown) => boolean
  /** Ends the waiting: what is not acknowledged by then has failed with its reason. */
  readonly signal?: AbortSignal
  readonly clock?: WriterClock
  /** From 0 up to 1, for the waits between tries. */
  readonly random?: () => number
  /** What the idempotency keys of this writer begin with; another one for each writer. */
  readonly id?: string
}

interface ToldBatch {
  /** Place of its first row among all that were written, from 1. */
  readonly firstRow: number
  readonly rows: number
  readonly idempotencyKey: string
  readonly attempts: number
}

/** The rows are on disk. With `waitForReceipts` the answer is the receipt, unless `limits.ingestWaitMs` was over before. */
export interface AcknowledgedBatch extends ToldBatch {
  readonly state: 'acknowledged'
  readonly answer: Accepted | Receipt
}

/** The rows were not acknowledged. Where `error` is a `ConnectionError` whose `sent` is true, nobody knows whether they were stored. */
export interface UnacknowledgedBatch extends ToldBatch {
  readonly state: 'failed'
  readonly error: unknown
  /** The rows as JSON, to write them elsewhere. */
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

/** With a default for each that was left out. Throws `RangeError` where a number is none that it can be. */
export function wholeOptions(options: IngestWriterOptions): WholeOptions {
  const whole: WholeOptions = { ...defaults, ...given(options) }
  for (const [name, least] of leastValues) {
    const value = whole[name]
    if (value < least || !(Number.isInteger(value) || value === defaults[name]))
      throw new RangeError(`${name} is ${value}; it must be a whole number from ${least}.`)
  }
  return whole
}
