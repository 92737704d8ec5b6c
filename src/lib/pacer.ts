import type { CancelSignal } from './cancellation.ts'

/** Units of work between two checks of the clock: a check costs about as much as a hundred units. */
const unitsPerCheck = 16_384

export interface PacerOptions {
  /** How long a run may block the event loop. */
  readonly sliceMs: number
  readonly signal: CancelSignal
  /** Whether others are waiting for this work now: then it gets every second slice, however much other work rests. Default: never. */
  readonly isPressing?: () => boolean
}

/** Work that rests in this thread, longest first: each turn of the event loop resumes one, however many there are. */
const resting: (() => void)[] = []
/** Resting work that others wait for: it gets every second slice. */
const pressing: (() => void)[] = []
let wasPressing = false
/** When the current slice, or the last one, began. */
let sliceStartMs = 0

function nextSlice(): void {
  sliceStartMs = performance.now()
  wasPressing = pressing.length > 0 && (resting.length === 0 || !wasPressing)
  const next = wasPressing ? pressing : resting
  next.shift()?.()
  if (resting.length + pressing.length > 0) setImmediate(nextSlice)
}

/**
 * Divides a long computation into slices, so that other work gets its turn. The computation reports its work with `spend` and awaits `rest` when that
 * returns true: `if (pacer.spend(rows)) await pacer.rest()`. A short one never waits. Slices belong to the thread: all pacers together take no longer in
 * one turn of the event loop than one may.
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
    if (this.#units < unitsPerCheck) return false
    this.#units = 0
    return performance.now() - sliceStartMs >= this.#sliceMs
  }

  /**
   * Yields to the event loop. Work that already rests resumes first; if this work is pressing, only one piece of it does. Throws the signal's reason if it
   * was aborted.
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
