import { timerMs } from '../../../lib/timer.ts'
import type { HeadState } from '../embedded-store.ts'

export interface UnsealedBounds {
  readonly headRows: number
  readonly headBytes: number
  readonly headAgeMs: number
  readonly unsealedBytes: number
}

/** The amount of data validated since the newest freeze, and its age. */
export class Unsealed {
  readonly #bounds: UnsealedBounds
  readonly #wake: () => void
  /** The pipeline's position at the freeze and now, with the bytes of the journal validated by then. */
  #frozenPosition: number
  #frozenBytes = 0
  #position: number
  #validatedBytes = 0
  #sinceMs: number | null = null
  #timer: NodeJS.Timeout | null = null

  /** `wake` is called when the age bound is reached. */
  constructor(position: number, bounds: UnsealedBounds, wake: () => void) {
    this.#frozenPosition = position
    this.#position = position
    this.#bounds = bounds
    this.#wake = wake
  }

  get frozenPosition(): number {
    return this.#frozenPosition
  }

  /** Called when the pipeline has reached a position. */
  advance(position: number, validatedBytes: number): void {
    if (position > this.#frozenPosition && this.#sinceMs === null) this.#startAge()
    this.#position = position
    this.#validatedBytes = validatedBytes
  }

  /** Called when all data so far is frozen to be sealed. */
  freeze(): void {
    this.stop()
    this.#frozenPosition = this.#position
    this.#frozenBytes = this.#validatedBytes
  }

  get isNothing(): boolean {
    return this.#position === this.#frozenPosition
  }

  get isOld(): boolean {
    return performance.now() - (this.#sinceMs ?? Number.POSITIVE_INFINITY) >= this.#bounds.headAgeMs
  }

  /** Positions and bytes of the journal include rejected rows and items, which a seal removes from the journal as well. */
  isOverBounds({ bytes }: HeadState): boolean {
    const { headRows, headBytes, unsealedBytes } = this.#bounds
    const rows = this.#position - this.#frozenPosition
    return rows >= headRows || this.#validatedBytes - this.#frozenBytes >= unsealedBytes || bytes >= headBytes
  }

  stop(): void {
    this.#sinceMs = null
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #startAge(): void {
    this.#sinceMs = performance.now()
    this.#timer = setTimeout(this.#wake, timerMs(this.#bounds.headAgeMs + 1))
  }
}
