// Decides when a key is old enough to be forgotten, whatever the machine's clock does. A clock that ran ahead stamps keys with times in the
// future. A clock that runs behind, or leaps, makes young keys look old. How long this process has had a key does not depend on it.
import { keyLifeS } from './push-key.ts'

export interface KeyClocks {
  /** The wall clock. */
  readonly nowMs: () => number
  /** Monotonic time with any origin. */
  readonly uptimeMs: () => number
}

/** Keys from the number `start` on were stamped while the wall clock was this far ahead of the uptime. */
interface ClockPeriod {
  readonly start: number
  readonly aheadMs: number
}

/** If the wall clock moved at least this much against the uptime, it was set. */
const setMs = 1000

/**
 * Ages of keys, by their numbers in the table. A key stored by this process expires when it has been here for a day. A key read at the start
 * expires a day after its stamp, and at the latest when it has been here for a day.
 */
export class KeyAges {
  readonly #clocks: KeyClocks
  readonly #openedMs: number
  /** Keys before this number were read at the start. */
  #readEnd = 0
  readonly #slices: ClockPeriod[] = []

  constructor(clocks: KeyClocks) {
    this.#clocks = clocks
    this.#openedMs = clocks.uptimeMs()
  }

  /** Keys stamped at or before this second are a day old by the wall clock. */
  get expiredS(): number {
    return Math.floor(this.#clocks.nowMs() / 1000) - keyLifeS
  }

  /** Whether a stamp is in the future. */
  isAhead(receivedS: number): boolean {
    return receivedS > Math.floor(this.#clocks.nowMs() / 1000)
  }

  /** Sets the number before which keys were read from files and the journal. */
  read(end: number): void {
    this.#readEnd = end
  }

  /** The stamp of the key that is assigned this number now, in seconds since 1970. */
  stamp(number: number): number {
    const { nowMs, uptimeMs } = this.#clocks
    const now = nowMs()
    const aheadMs = now - uptimeMs()
    const last = this.#slices.at(-1)
    if (last === undefined || Math.abs(aheadMs - last.aheadMs) >= setMs) this.#slices.push({ start: number, aheadMs })
    return Math.floor(now / 1000)
  }

  /** Whether the key with this number and stamp is older than a day. */
  isExpired(number: number, receivedS: number): boolean {
    const uptimeMs = this.#clocks.uptimeMs()
    if (number < this.#readEnd) return receivedS <= this.expiredS || uptimeMs - this.#openedMs >= keyLifeS * 1000
    const { aheadMs } = this.#slices.findLast(({ start }) => start <= number)!
    // The time that the clock which stamped the key would show now.
    return receivedS <= Math.floor((uptimeMs + aheadMs) / 1000) - keyLifeS
  }

  /** Keys before this number have been forgotten. */
  forgotten(start: number): void {
    while (this.#slices.length > 1 && this.#slices[1]!.start <= start) this.#slices.shift()
  }
}
