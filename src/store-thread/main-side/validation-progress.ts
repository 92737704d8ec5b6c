import type { IngestCount } from '../../catalog/manifest.ts'
import type { Tally } from '../../ingest/pipeline.ts'
import type { AcceptedPush, IngestProgress } from '../../ingest/progress.ts'
import type { IngestCounters } from '../../model/ingest.ts'
import type { Problem } from '../../model/problem.ts'
import { Counters } from './counters.ts'

/** The progress of validation through the journal, across all generations of the thread, and the outcomes of the rows. */
export class ValidationProgress implements IngestProgress {
  readonly #counters = new Counters()
  readonly #waiters = new PositionWaiters(() => this.#processedPosition)
  readonly #unavailable: () => Problem
  /** The end of the journal at the start. */
  readonly #firstPosition: number
  #durablePosition: number
  #processedPosition = 0
  #countedPosition: number

  /** `away` returns the error while queries cannot be run. */
  constructor(durablePosition: number, away: () => Problem) {
    this.#unavailable = away
    this.#firstPosition = durablePosition
    this.#durablePosition = durablePosition
    this.#countedPosition = durablePosition
  }

  /** Whether everything that was in the journal at the start is validated. */
  get isSettled(): boolean {
    return this.#counters.settled
  }

  get durablePosition(): number {
    return this.#durablePosition
  }

  /** The position at which a generation of the thread is ready. Pushes that arrive during the first start are counted separately from the rows before them. */
  get readyPosition(): number {
    return this.isSettled ? this.#durablePosition : this.#firstPosition
  }

  get countedPosition(): number {
    return this.#countedPosition
  }

  /** Rows of the journal that are not validated yet. */
  get rowsLeft(): number {
    return Math.max(0, this.#durablePosition - this.#processedPosition)
  }

  get validatedRows(): number {
    return this.#counters.validatedRows
  }

  /** Until the counters are complete, the rows of the journal that are not validated yet. */
  get pendingRows(): number {
    return this.isSettled ? this.#counters.pendingRows : this.rowsLeft
  }

  /** The journal has grown. */
  durable(position: number): void {
    this.#durablePosition = position
  }

  /** The thread has restarted, and validates again everything that is not sealed. */
  restart(): void {
    this.#countedPosition = Math.max(this.#countedPosition, this.#processedPosition)
    this.#processedPosition = 0
    this.#counters.restart([])
  }

  begun(position: number, counts: readonly IngestCount[]): void {
    this.#processedPosition = position
    this.#counters.restart(counts)
  }

  validated(position: number, tallies: readonly Tally[]): void {
    this.#processedPosition = position
    this.#counters.validated(tallies)
    this.#waiters.reached()
  }

  ready(): void {
    if (!this.isSettled) this.#counters.settle()
  }

  processedThrough(): number {
    return this.#processedPosition
  }

  accepted({ ingestId, rows }: AcceptedPush): void {
    this.#counters.accepted(ingestId, rows)
  }

  requireCounted(): void {
    if (!this.isSettled) throw this.#unavailable()
  }

  pendingOf(ingestId: number): number | null {
    return this.isSettled ? this.#counters.of(ingestId).pending : null
  }

  counters(ingestId: number): IngestCounters {
    this.requireCounted()
    return this.#counters.of(ingestId)
  }

  waitFor(position: number, signal: AbortSignal): Promise<void> {
    return this.#waiters.wait(position, signal)
  }
}

interface Waiter {
  readonly position: number
  readonly resolve: () => void
}

/** Callers that wait until a position is reached. */
class PositionWaiters {
  readonly #current: () => number
  readonly #waiters = new Set<Waiter>()

  constructor(current: () => number) {
    this.#current = current
  }

  /** Resolves when the position is reached; rejects with the signal's reason. */
  wait(position: number, signal: AbortSignal): Promise<void> {
    if (position <= this.#current()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const waiter = { position, resolve: () => settle(resolve) }
      const onAbort = (): void => settle(() => reject(signal.reason))
      const settle = (outcome: () => void): void => {
        this.#waiters.delete(waiter)
        signal.removeEventListener('abort', onAbort)
        outcome()
      }
      this.#waiters.add(waiter)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) onAbort()
    })
  }

  /** Called when the current position may have moved. */
  reached(): void {
    for (const waiter of this.#waiters) if (waiter.position <= this.#current()) waiter.resolve()
  }
}
