import type { CancelSignal } from './cancellation.ts'

/** Units of work between two looks at the clock: a look costs about as much as a hundred of them. */
const unitsPerLook = 16_384

export interface PacerOptions {
  /** How long a run may hold the event loop. */
  readonly sliceMs: number
  readonly signal: CancelSignal
  /** Whether others wait for it now: then every second slice is its own, however many rest. Never, where it is left out. */
  readonly isPressing?: () => boolean
}

/** All that rests in this thread, longest first: each turn of the event loop one of them goes on, however many there are. */
const resting: (() => void)[] = []
/** Of these, what others wait for: it has every second slice. */
const pressing: (() => void)[] = []
let wasPressing = false
/** When the slice began that is running, or the last one. */
let sliceStartMs = 0

function nextSlice(): void {
  sliceStartMs = performance.now()
  wasPressing = pressing.length > 0 && (resting.length === 0 || !wasPressing)
  const next = wasPressing ? pressing : resting
  next.shift()?.()
  if (resting.length + pressing.length > 0) setImmediate(nextSlice)
}

/**
 * Cuts a long computation into slices, so that others get their turn. The computation reports its work with `spend` and awaits
 * `rest` when told to: `if (pacer.spend(rows)) await pacer.rest()`. A short one never waits. Slices are those of the thread: what several
 * pacers do in one turn of the event loop is no longer than what one may.
 */
export class Pacer {
  readonly #sliceMs: number
  readonly #signal: CancelSignal
  readonly #isPressing: () => boolean
  #units = 0

  constructor({ sliceMs, signal, isPressing = () => false }: PacerOptions) {
    this.#sliceMs = sliceMs
    this.#signal = signal
    this.#isPressing = isPressing
    signal.throwIfAborted()
    if (resting.length + pressing.length === 0) sliceStartMs = performance.now()
  }

  /** Counts work (a unit is about a row touched); true when the slice is over and `rest` is due. */
  spend(units: number): boolean {
    this.#units += units
    if (this.#units < unitsPerLook) return false
    this.#units = 0
    return performance.now() - sliceStartMs >= this.#sliceMs
  }

  /**
   * Lets the event loop turn, and those that rest already go on first; where it presses, one of them. Throws the signal's reason when it was
   * aborted.
   */
  async rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const queue = this.#isPressing() ? pressing : resting
      queue.push(resolve)
      if (resting.length + pressing.length === 1) setImmediate(nextSlice)
    })
    this.#signal.throwIfAborted()
  }
}
