import { Problem } from '../../model/problem.ts'
import type { Observe } from '../../observe/event.ts'

const retryAfterS = 5

export interface DiskFloorOptions {
  /** Asks how much is free. */
  readonly freeBytes: () => Promise<number>
  /** Below it pushes are refused. */
  readonly floorBytes: number
  /** Below it the disk is said to fill, while there is still time to make room. */
  readonly warnBytes: number
  /** What the disk is called to those who push. */
  readonly disk: string
  readonly observe: Observe
}

/** Keeps the disk from running full. It is asked how much is free from time to time; what is pushed meanwhile is counted off. */
export class DiskFloor {
  readonly #options: DiskFloorOptions
  #left = Number.POSITIVE_INFINITY
  #isFilling = false

  constructor(options: DiskFloorOptions) {
    this.#options = options
  }

  /** What is free, but for what has been pushed since it was asked. */
  get freeBytes(): number {
    return this.#left
  }

  /** As `/readyz` shows it. `freeBytes` is null until it is known. */
  get state(): { readonly freeBytes: number | null; readonly floorBytes: number; readonly filling: boolean } {
    const freeBytes = Number.isFinite(this.#left) ? Math.max(0, Math.floor(this.#left)) : null
    return { freeBytes, floorBytes: this.#options.floorBytes, filling: this.#isFilling }
  }

  async refresh(): Promise<void> {
    const { freeBytes, floorBytes, warnBytes, disk, observe } = this.#options
    this.#left = await freeBytes()
    const isFilling = this.#left < Math.max(floorBytes, warnBytes)
    if (isFilling === this.#isFilling) return
    this.#isFilling = isFilling
    observe({ kind: isFilling ? 'diskFilling' : 'diskRecovered', disk, freeBytes: this.#left, floorBytes })
  }

  /** Throws Problem `overloaded` while less is free than the floor. */
  requireSpace(): void {
    const { floorBytes, disk } = this.#options
    // Without a floor the estimate, which may fall below zero, does not count either.
    if (floorBytes === 0 || this.#left >= floorBytes) return
    throw new Problem(
      'overloaded',
      `Less than ${floorBytes} bytes (journal.diskFloorBytes) are free on ${disk}: ${Math.max(0, Math.floor(this.#left))} bytes. Nothing was stored. Push again once the operator has made room.`,
      { retryAfterS },
    )
  }

  add(bytes: number): void {
    this.#left -= bytes
  }
}
