import type { Accepted, Receipt } from './answers.ts'
import { sleepOn, type WriterClock } from './clock.ts'
import type { PushBatch } from './push-batch.ts'
import { withRetries } from './retries.ts'
import type { PushFormat } from './transport.ts'
import type { WholeOptions } from './writer-options.ts'

/** One attempt of a push. */
export type PushRequest = (
  body: Uint8Array,
  options: {
    readonly format: PushFormat
    readonly idempotencyKey: string
    readonly wait: boolean
    readonly signal: AbortSignal
  },
) => Promise<Accepted | Receipt>

export interface PushedBatch {
  readonly idempotencyKey: string
  readonly attempts: number
  readonly result: { readonly answer: Accepted | Receipt } | { readonly error: unknown }
}

/** 128 random bits. `crypto.randomUUID` is missing on pages that were loaded without TLS. */
function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Pushes a batch, with retries under one idempotency key, until it is acknowledged or fails. Never rejects. */
export function batchPusher(
  push: PushRequest,
  options: WholeOptions & { readonly clock: WriterClock },
): (batch: PushBatch) => Promise<PushedBatch> {
  const { clock, pushTimeoutMs, waitForReceipts: wait, signal, id = newId(), random = Math.random } = options
  const { retryMs, maxRetries, firstRetryWaitMs, maxRetryWaitMs, isRetryable } = options
  const once = async (body: Uint8Array, idempotencyKey: string): Promise<Accepted | Receipt> => {
    signal?.throwIfAborted()
    const timeout = new AbortController()
    const cancel = clock.after(pushTimeoutMs, () => timeout.abort(new Error(`no answer within ${pushTimeoutMs} ms`)))
    try {
      return await push(body, { format: 'json', idempotencyKey, wait, signal: timeout.signal })
    } finally {
      cancel()
    }
  }
  return async ({ firstRow, rows, body }) => {
    const idempotencyKey = `${id}-${firstRow}-${rows}`
    let attempts = 0
    const attempt = () => {
      attempts++
      return once(body, idempotencyKey)
    }
    try {
      const answer = await withRetries(attempt, {
        nowMs: () => clock.nowMs(),
        sleep: (ms) => sleepOn(clock, ms, signal),
        retryMs,
        maxRetries,
        firstRetryWaitMs,
        maxRetryWaitMs,
        onRetry: (error, waitMs) => options.onRetry?.(error, waitMs),
        isRetryable,
        random,
      })
      return { idempotencyKey, attempts, result: { answer } }
    } catch (error) {
      return { idempotencyKey, attempts, result: { error } }
    }
  }
}
