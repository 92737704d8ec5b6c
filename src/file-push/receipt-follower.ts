import type { Receipt, RowError } from '../client/answers.ts'

/** A row that was rejected; `row` is its place in the whole input, from 1. */
export interface ShownRejection extends Omit<RowError, 'index'> {
  readonly row: number
}

export interface PushOutcome {
  readonly stored: number
  readonly rejected: number
  /** Rows whose outcome did not come in time. */
  readonly pending: number
  /** The first rejected rows, in the input's order. */
  readonly errors: readonly ShownRejection[]
  /** The rejected rows that receipts named, by code and field: the first of each push. */
  readonly kinds: readonly RejectionTally[]
  /** The first pushes that have rejected rows, in the input's order. */
  readonly batches: readonly FaultyBatch[]
}

export interface RejectionTally {
  readonly code: string
  readonly field: string | null
  readonly rows: number
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
}

const pollMs = 100
const kindsMax = 1000

/** Asks for the receipts of batches while further ones are pushed, oldest first, and adds them up. */
export class ReceiptFollower {
  readonly #options: ReceiptFollowerOptions
  readonly #waiting: Followed[] = []
  #next = 0
  #closed = false
  #stored = 0
  #rejected = 0
  #errors: ShownRejection[] = []
  readonly #kinds = new Map<string, RejectionTally>()
  readonly #batches: FaultyBatch[] = []

  constructor(options: ReceiptFollowerOptions) {
    this.#options = options
  }

  add(batch: Followed): void {
    this.#waiting.push(batch)
  }

  /** No further batch will come. */
  close(): void {
    this.#closed = true
  }

  /** Resolves once all batches are judged, or nothing has moved for as long as patience lasts. */
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
    const pending = this.#waiting.slice(this.#next).reduce((sum, { rows }) => sum + rows, 0)
    return {
      ...{ stored: this.#stored, rejected: this.#rejected, pending, errors: this.#errors },
      kinds: [...this.#kinds.values()].sort((a, b) => b.rows - a.rows),
      batches: this.#batches,
    }
  }

  #settle(followed: Followed, receipt: Receipt): void {
    this.#next++
    this.#stored += receipt.stored
    this.#rejected += receipt.rejected
    const { batch } = followed
    const { errorsMax } = this.#options
    if (receipt.rejected > 0 && this.#batches.length < errorsMax) {
      this.#batches.push({ batch, rejected: receipt.rejected })
    }
    for (const { code, field } of receipt.errors) this.#count(code, field)
    const errors = receipt.errors.map(({ index, ...rest }) => ({ ...rest, row: followed.firstRow + index }))
    if (errors.length === 0) return
    this.#errors = [...this.#errors, ...errors].sort((a, b) => a.row - b.row).slice(0, errorsMax)
  }

  /** Names of fields are whatever was pushed, so they are bounded. */
  #count(code: string, field: string | null): void {
    const key = `${code} ${field ?? ''}`
    const known = this.#kinds.get(key)
    if (known !== undefined) this.#kinds.set(key, { ...known, rows: known.rows + 1 })
    else if (this.#kinds.size < kindsMax) this.#kinds.set(key, { code, field, rows: 1 })
  }
}
