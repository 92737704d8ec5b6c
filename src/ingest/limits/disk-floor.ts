import { Problem } from '../../model/problem.ts'
import type { Observe } from '../../observe/event.ts'

const retryAfterS = 5

export interface DiskFloorOptions {
  /** Queries the free space. */
  readonly freeBytes: () => Promise<number>
  /** Below this, pushes are refused. */
  readonly floorBytes: number
  /** Below this, a warning is reported while there is still time to free space. */
  readonly warnBytes: number
  /** Name of the disk in error messages. */
  readonly disk: string
  readonly observe: Observe
}

/** Keeps the disk from running full. Free space is queried periodically; bytes pushed in between are subtracted. */
export class DiskFloor {
  readonly #options: DiskFloorOptions
  #left = Number.POSITIVE_INFINITY
  #isFilling = false

  constructor(options: DiskFloorOptions) {
    this.#options = options
  }

  /** Free space at the last query, minus the bytes pushed since. */
  get freeBytes(): number {
    return this.#left
  }

  /** State shown by `/readyz`. `freeBytes` is null until it is known. */
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

  /** Throws Problem `overloaded` while free space is below the floor. */
  requireSpace(): void {
    const { floorBytes, disk } = this.#options
    // Without a floor, the estimate, which may fall below zero, is ignored.
    if (floorBytes === 0 || this.#left >= floorBytes) return
    throw new Problem(
      'overloaded',
      `Less than ${floorBytes} bytes (journal.diskFloorBytes) are free on ${disk}: ${Math.max(0, Math.floor(this.#left))} bytes. Nothing was stored. Push again once the operator has freed some space.`,
      { retryAfterS },
    )
  }

  add(bytes: number): void {
    this.#left -= bytes
  }
}
