import { batchPusher, type PushRequest } from './batch-pusher.ts'
import { systemClock, type WriterClock } from './clock.ts'
import { batchOf, halvesOf, isTooMuch, type PushBatch } from './push-batch.ts'
import { rowTexts } from './row-text.ts'
import { ServiceError } from './service-error.ts'
import { type IngestWriterOptions, type WholeOptions, wholeOptions } from './writer-options.ts'

/** The number of rows written, acknowledged and failed. */
export interface WrittenRows {
  readonly rows: number
  readonly acknowledged: number
  readonly failed: number
}

interface Waiter {
  readonly texts: readonly Uint8Array[]
  next: number
  readonly resolve: () => void
}

interface Gathered {
  readonly firstRow: number
  readonly texts: readonly Uint8Array[]
  readonly bytes: number
  readonly settle: () => void
}

const encoder = new TextEncoder()
const warnEveryMs = 60_000

/** Whether smaller batches may succeed: there were too many rows, or one is not valid JSON. */
function mayGoInHalves(error: unknown): boolean {
  return isTooMuch(error) || (error instanceof ServiceError && error.code === 'invalid_json')
}

/**
 * Gathers rows into batches and pushes them, each with retries under its own idempotency key until it is acknowledged, so that every row is stored once.
 * Call `close` at the end.
 */
export class IngestWriter {
  readonly #options: WholeOptions
  readonly #clock: WriterClock
  readonly #push: ReturnType<typeof batchPusher>
  #gathered: Uint8Array[] = []
  #gatheredBytes = 0
  #cancelFlush = (): void => undefined
  readonly #ready: Gathered[] = []
  /** Each resolves when the outcome of its batch has been reported. */
  readonly #open = new Set<Promise<void>>()
  readonly #waiters: Waiter[] = []
  #inFlight = 0
  #bufferedBytes = 0
  #rows = 0
  #acknowledged = 0
  #failed = 0
  #firstFailure: unknown = null
  #warnedMs = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(push: PushRequest, options: IngestWriterOptions = {}) {
    this.#options = wholeOptions(options)
    this.#clock = options.clock ?? systemClock
    const onRetry = options.onRetry ?? ((error, waitMs) => this.#warn(error, waitMs))
    this.#push = batchPusher(push, { ...this.#options, clock: this.#clock, onRetry })
  }

  /** Bytes of rows in the buffer, waiting and in flight. */
  get bufferedBytes(): number {
    return this.#bufferedBytes
  }

  /**
   * Resolves when all these rows are in the buffer; until then it is full. Rejects with a `TypeError`, and accepts none of the rows, if JSON would alter one
   * (`Infinity`, `NaN`) or one is not an object.
   */
  async write(...rows: readonly object[]): Promise<void> {
    await this.writeTexts(rowTexts(rows))
  }

  /** As `write`, with each row as JSON text: integers beyond 2^53 keep all their digits. */
  writeTexts(texts: readonly string[]): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('The writer is closed; make another one.'))
    const empty = texts.findIndex((text) => typeof text !== 'string' || text.trim() === '')
    if (empty !== -1)
      return Promise.reject(new TypeError(`Row ${empty + 1} of ${texts.length} cannot be written: it is not JSON.`))
    const bytes = texts.map((text) => encoder.encode(text))
    const next = this.#waiters.length === 0 ? this.#take(bytes, 0) : 0
    if (next === bytes.length) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiters.push({ texts: bytes, next, resolve })
      // The buffered rows must be sent before there is space.
      this.#cut()
    })
  }

  /** Resolves when the outcome of every row written so far has been reported. Throws the first failure if there is no `onBatch`. */
  async flush(): Promise<void> {
    while (this.#waiters.length > 0) await Promise.race(this.#open)
    this.#cut()
    await Promise.all(this.#open)
    if (this.#firstFailure !== null && this.#options.onBatch === undefined) throw this.#firstFailure
  }

  /** Accepts no further rows, and resolves when the outcomes of all rows have been reported. Throws as `flush` does. */
  async close(): Promise<WrittenRows> {
    this.#closed = true
    await this.flush()
    return { rows: this.#rows, acknowledged: this.#acknowledged, failed: this.#failed }
  }

  /** Warns of retries, which could otherwise go unnoticed for hours. */
  #warn(error: Error, waitMs: number): void {
    const nowMs = this.#clock.nowMs()
    if (nowMs - this.#warnedMs < warnEveryMs) return
    this.#warnedMs = nowMs
    console.warn(`tidemark: rows wait: ${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.`)
  }

  /** Buffers rows from index `next` on while there is space, and returns the index where it stopped. A row larger than the buffer is sent alone. */
  #take(texts: readonly Uint8Array[], next: number): number {
    let at = next
    for (; at < texts.length; at++) {
      const text = texts[at]!
      const isFull = this.#bufferedBytes + text.length > this.#options.maxBufferedBytes
      if (isFull && this.#bufferedBytes > 0) break
      this.#gather(text)
    }
    return at
  }

  #gather(text: Uint8Array): void {
    const { maxBatchRows, maxBatchBytes, flushIntervalMs } = this.#options
    if (this.#gatheredBytes + text.length + 1 > maxBatchBytes) this.#cut()
    if (this.#gathered.length === 0) this.#cancelFlush = this.#clock.after(flushIntervalMs, () => this.#cut())
    this.#gathered.push(text)
    this.#gatheredBytes += text.length + 1
    this.#bufferedBytes += text.length
    this.#rows++
    if (this.#gathered.length === maxBatchRows) this.#cut()
  }

  /** Turns the gathered rows into a batch. */
  #cut(): void {
    this.#cancelFlush()
    const texts = this.#gathered
    if (texts.length === 0) return
    const bytes = this.#gatheredBytes - texts.length
    const settled = new Promise<void>((settle) => {
      this.#ready.push({ firstRow: this.#rows - texts.length + 1, texts, bytes, settle })
    })
    this.#open.add(settled)
    void settled.then(() => this.#open.delete(settled))
    this.#gathered = []
    this.#gatheredBytes = 0
    this.#pump()
  }

  #pump(): void {
    while (this.#inFlight < this.#options.maxConcurrentPushes) {
      const next = this.#ready.shift()
      if (next === undefined) return
      this.#inFlight++
      void this.#send(next)
    }
  }

  async #send({ firstRow, texts, bytes, settle }: Gathered): Promise<void> {
    try {
      await this.#pushOrHalves(batchOf(texts, firstRow, 'json'))
    } finally {
      this.#inFlight--
      this.#bufferedBytes -= bytes
      settle()
      this.#admit()
      this.#pump()
    }
  }

  /** Buffers rows that waited for space, in order. */
  #admit(): void {
    for (let waiter = this.#waiters[0]; waiter !== undefined; waiter = this.#waiters[0]) {
      waiter.next = this.#take(waiter.texts, waiter.next)
      if (waiter.next < waiter.texts.length) {
        this.#cut()
        return
      }
      this.#waiters.shift()
      waiter.resolve()
    }
  }

  async #pushOrHalves(batch: PushBatch): Promise<void> {
    const { firstRow, rows } = batch
    const { idempotencyKey, attempts, result } = await this.#push(batch)
    const settled = { firstRow, rows, idempotencyKey, attempts }
    if ('answer' in result) {
      this.#acknowledged += rows
      this.#options.onBatch?.({ state: 'acknowledged', ...settled, answer: result.answer })
      return
    }
    const { error } = result
    if (rows > 1 && mayGoInHalves(error)) {
      for (const half of halvesOf(batch, 'json')) await this.#pushOrHalves(half)
      return
    }
    this.#failed += rows
    this.#firstFailure ??= error
    const decoder = new TextDecoder()
    this.#options.onBatch?.({
      state: 'failed',
      ...settled,
      error,
      texts: batch.texts.map((text) => decoder.decode(text)),
    })
  }
}
