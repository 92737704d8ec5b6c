import { setImmediate } from 'node:timers/promises'

/** Units of work between two looks at the clock: a look costs about as much as a hundred of them. */
const unitsPerLook = 16_384

export interface PacerOptions {
  /** How long a run may hold the event loop. */
  readonly sliceMs: number
  readonly signal: AbortSignal
}

/**
 * Cuts a long computation into slices, so that others get their turn. The computation reports its work with `spend` and awaits
 * `rest` when told to: `if (pacer.spend(rows)) await pacer.rest()`. A short one never waits.
 */
export class Pacer {
  readonly #sliceMs: number
  readonly #signal: AbortSignal
  #units = 0
  #sliceStartMs = performance.now()

  constructor({ sliceMs, signal }: PacerOptions) {
    this.#sliceMs = sliceMs
    this.#signal = signal
    signal.throwIfAborted()
  }

  /** Counts work (a unit is about a row touched); true when the slice is over and `rest` is due. */
  spend(units: number): boolean {
    this.#units += units
    if (this.#units < unitsPerLook) return false
    this.#units = 0
    return performance.now() - this.#sliceStartMs >= this.#sliceMs
  }

  /** Lets the event loop turn once. Throws the signal's reason when it was aborted. */
  async rest(): Promise<void> {
    await setImmediate()
    this.#signal.throwIfAborted()
    this.#sliceStartMs = performance.now()
  }
}
