import { Problem } from '../../model/problem.ts'

const retryAfterS = 5

/** Keeps the disk from running full. It is asked how much is free from time to time; what is pushed meanwhile is counted off. */
export class DiskFloor {
  readonly #freeBytes: () => Promise<number>
  readonly #floorBytes: number
  readonly #disk: string
  #left = Number.POSITIVE_INFINITY

  /** `disk` is what it is called to those who push. */
  constructor(freeBytes: () => Promise<number>, floorBytes: number, disk: string) {
    this.#freeBytes = freeBytes
    this.#floorBytes = floorBytes
    this.#disk = disk
  }

  /** What is free, but for what has been pushed since it was asked. */
  get freeBytes(): number {
    return this.#left
  }

  async refresh(): Promise<void> {
    this.#left = await this.#freeBytes()
  }

  /** Throws Problem `overloaded` while less is free than the floor. */
  requireRoom(): void {
    // Without a floor the estimate, which may fall below zero, does not count either.
    if (this.#floorBytes === 0 || this.#left >= this.#floorBytes) return
    throw new Problem(
      'overloaded',
      `Less than ${this.#floorBytes} bytes (journal.diskFloorBytes) are free on ${this.#disk}: ${Math.max(0, Math.floor(this.#left))} bytes. Nothing was stored. Send it again once the operator has made room.`,
      { retryAfterS },
    )
  }

  add(bytes: number): void {
    this.#left -= bytes
  }
}
