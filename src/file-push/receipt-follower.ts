import type { Receipt } from '../client/answers.ts'
import type { LinesOfRows } from './line-counts.ts'
import { Rejections, type RejectionTally, type ShownRejection } from './rejections.ts'

export interface PushOutcome {
  readonly stored: number
  readonly rejected: number
  /** Rows whose outcome is unknown, because it did not arrive in time. */
  readonly pending: number
  /** Stored rows that replaced an earlier one of the same push. */
  readonly replaced: number
  /** The first rejected rows, in the input's order. */
  readonly errors: readonly ShownRejection[]
  /** Rejected rows listed in receipts, which list the first of each push, by code and field. */
  readonly kinds: readonly RejectionTally[]
  /** The first pushes with rejected rows, in the input's order. */
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
  /** How long to continue polling without progress. */
  readonly stalledMsMax: number
  readonly errorsMax: number
}

interface Followed {
  readonly batch: string
  readonly firstRow: number
  readonly rows: number
  /** Set for a file of lines: `firstRow` is then a line. */
  readonly lines?: LinesOfRows | undefined
}

const pollMs = 100

/** Polls the receipts of batches while further ones are pushed, oldest first, and sums them. */
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

  /** Rows, or lines, that receipts have covered so far, and the rejected rows among them. */
  get validated(): { readonly rows: number; readonly rejected: number } {
    return { rows: this.#validated, rejected: this.#rejected }
  }

  /** The sum of the receipts so far; the rows of other batches are pending. */
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

  /** No further batch will be added. */
  close(): void {
    this.#closed = true
  }

  /** Resolves when all batches are validated, or after `stalledMsMax` without progress. Throws the errors of `receipt`. */
  async run(): Promise<PushOutcome> {
    const { receipt, nowMs, sleep, stalledMsMax } = this.#options
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
      if (nowMs() - movedMs > stalledMsMax) break
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
