import { timerMs } from '../../../lib/timer.ts'
import type { HeadState } from '../embedded-store.ts'

export interface UnsealedBounds {
  readonly headRows: number
  readonly headBytes: number
  readonly headAgeMs: number
  readonly unsealedBytes: number
}

/** How much was validated since the newest freeze, and for how long it has been there. */
export class Unsealed {
  readonly #bounds: UnsealedBounds
  readonly #wake: () => void
  /** Where the pipeline stood at the freeze, and stands; with the bytes of the journal that it had validated. */
  #frozenPosition: number
  #frozenBytes = 0
  #position: number
  #validatedBytes = 0
  #sinceMs: number | null = null
  #timer: NodeJS.Timeout | null = null

  /** `wake` is called when the bound of age is reached. */
  constructor(position: number, bounds: UnsealedBounds, wake: () => void) {
    this.#frozenPosition = position
    this.#position = position
    this.#bounds = bounds
    this.#wake = wake
  }

  get frozenPosition(): number {
    return this.#frozenPosition
  }

  /** The pipeline has come to a position. */
  advance(position: number, validatedBytes: number): void {
    if (position > this.#frozenPosition && this.#sinceMs === null) this.#startAge()
    this.#position = position
    this.#validatedBytes = validatedBytes
  }

  /** All of it is being sealed. */
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

  /** Positions and bytes of the journal count rejected rows and items too: they leave the journal by a seal as well. */
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
