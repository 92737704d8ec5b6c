// Who tries keys is slowed down, by his address: past some wrong ones a minute, what answers them comes late. A right key never waits, whatever
// others of its address try, so nobody is locked out behind a proxy.
import { isIPv6 } from 'node:net'
import { WrongKey } from '../access/caller.ts'
import type { Observe } from '../observe/event.ts'

export interface FailedKeysParts {
  /** So many of an address are refused at once; 0 for all of them. */
  readonly perMinute: number
  /** Any clock that only goes forward. */
  readonly nowMs: () => number
  readonly observe: Observe
}

const minuteMs = 60_000
const waitMsMax = 5000
/** Those that tried longest ago are forgotten: some MiB. */
const addressesMax = 10_000

export class FailedKeys {
  readonly #parts: FailedKeysParts
  /** When an address has made up for its wrong keys, each of them by its share of a minute. */
  readonly #pastMs = new Map<string, number>()
  #untold = 0
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(parts: FailedKeysParts) {
    this.#parts = parts
  }

  /** How long what refuses a request is to wait; 0 unless it showed a key that is not known. */
  waitMs(refusal: unknown, ip: string): number {
    if (!(refusal instanceof WrongKey)) return 0
    const { perMinute, nowMs } = this.#parts
    const now = nowMs()
    this.#report(now, ip)
    if (perMinute === 0) return 0
    const network = networkOf(ip)
    const past = Math.max(this.#pastMs.get(network) ?? now, now) + minuteMs / perMinute
    this.#remember(network, Math.min(past, now + minuteMs + waitMsMax))
    return Math.min(Math.max(0, past - now - minuteMs), waitMsMax)
  }

  #remember(network: string, pastMs: number): void {
    this.#pastMs.delete(network)
    this.#pastMs.set(network, pastMs)
    if (this.#pastMs.size <= addressesMax) return
    for (const [oldest] of this.#pastMs) {
      this.#pastMs.delete(oldest)
      return
    }
  }

  #report(now: number, ip: string): void {
    this.#untold += 1
    const isReported = now - this.#reportedMs >= minuteMs
    this.#parts.observe({ kind: 'keyRefused', ip, untold: isReported ? this.#untold : null })
    if (!isReported) return
    this.#untold = 0
    this.#reportedMs = now
  }
}

/** Whose an address is, as far as it says: one of IPv6 is one of very many that its holder may choose (/64). */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip
  const mapped = ip.slice(ip.lastIndexOf(':') + 1)
  if (mapped.includes('.')) return mapped
  const [before, after] = ip.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = after === undefined ? 0 : 8 - before!.length - after.length
  return [...before!, ...new Array<string>(zeros).fill('0'), ...(after ?? [])].slice(0, 4).join(':')
}
