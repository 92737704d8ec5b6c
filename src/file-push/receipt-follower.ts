import type { Receipt } from '../client/answers.ts'
import type { LinesOfRows } from './line-counts.ts'
import { Rejections, type RejectionTally, type ShownRejection } from './rejections.ts'

export interface PushOutcome {
  readonly stored: number
  readonly rejected: number
  /** Rows whose outcome did not come in time. */
  readonly pending: number
  /** Stored rows that replaced an earlier one of the same push. */
  readonly replaced: number
  /** The first rejected rows, in the input's order. */
  readonly errors: readonly ShownRejection[]
  /** The rejected rows that receipts named, by code and field: the first of each push. */
  readonly kinds: readonly RejectionTally[]
  /** The first pushes that have rejected rows, in the input's order. */
  readonly batches: readonly FaultyBatch[]
}

export interface FaultyBatch {
  readonly batch: string
  readonly rejected: number
}

export interface ReceiptFollowerOptions {
  readonly receipt: (batch: string) => Promise<Receipt>
  readonly nowMs: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How long to go on asking while nothing moves. */
  readonly patienceMs: number
  readonly errorsMax: number
}

interface Followed {
  readonly batch: string
  readonly firstRow: number
  readonly rows: number
  /** Of a file of lines: `firstRow` is a line. */
  readonly lines?: LinesOfRows | undefined
}

const pollMs = 100

/** Asks for the receipts of batches while further ones are pushed, oldest first, and adds them up. */
export class ReceiptFollower {
  readonly #options: ReceiptFollowerOptions
  readonly #waiting: Followed[] = []
  #next = 0
  #closed = false
  #stored = 0
  #rejected = 0
  #replaced = 0
  #validated = 0
  readonly #rejections: Rejections
  readonly #batches: FaultyBatch[] = []

  constructor(options: ReceiptFollowerOptions) {
    this.#options = options
    this.#rejections = new Rejections(options.errorsMax)
  }

  /** How many rows, or lines, receipts have told of so far, and how many rejected rows. */
  get validated(): { readonly rows: number; readonly rejected: number } {
    return { rows: this.#validated, rejected: this.#rejected }
  }

  /** What receipts have told of so far; the rows of other batches are pending. */
  get outcome(): PushOutcome {
    const pending = this.#waiting.slice(this.#next).reduce((sum, { rows }) => sum + rows, 0)
    return {
      ...{ stored: this.#stored, rejected: this.#rejected, pending, replaced: this.#replaced },
      ...{ errors: this.#rejections.errors, kinds: this.#rejections.kinds },
      batches: this.#batches,
    }
  }

  add(batch: Followed): void {
    this.#waiting.push(batch)
  }

  /** No further batch will come. */
  close(): void {
    this.#closed = true
  }

  /** Resolves once all batches are validated, or nothing has moved for as long as patience lasts. Throws what a receipt is refused with. */
  async run(): Promise<PushOutcome> {
    const { receipt, nowMs, sleep, patienceMs } = this.#options
    let movedMs = nowMs()
    let lastPending = -1
    while (!this.#closed || this.#next < this.#waiting.length) {
      const followed = this.#waiting[this.#next]
      const answer = followed === undefined ? null : await receipt(followed.batch)
      if (followed !== undefined && answer?.pending === 0) {
        this.#settle(followed, answer)
        movedMs = nowMs()
        continue
      }
      const pending = answer?.pending ?? 0
      if (pending !== lastPending || followed === undefined) movedMs = nowMs()
      lastPending = pending
      if (nowMs() - movedMs > patienceMs) break
      await sleep(pollMs)
    }
    return this.outcome
  }

  #settle(followed: Followed, receipt: Receipt): void {
    this.#next++
    this.#stored += receipt.stored
    this.#rejected += receipt.rejected
    this.#replaced += receipt.replaced
    const { batch, lines } = followed
    this.#validated += lines?.lines ?? receipt.stored + receipt.rejected
    const { errorsMax } = this.#options
    if (receipt.rejected > 0 && this.#batches.length < errorsMax) {
      this.#batches.push({ batch, rejected: receipt.rejected })
    }
    this.#rejections.add(followed.firstRow, receipt.errors, lines)
  }
}
