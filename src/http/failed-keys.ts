// Slows down callers that try keys, by address: after a number of wrong keys per minute, refusals are delayed. A valid key never waits, whatever others behind
// the same address try, so nobody is locked out behind a proxy.
import { isIPv6 } from 'node:net'
import { WrongKey } from '../access/caller.ts'
import type { Observe } from '../observe/event.ts'

export interface FailedKeysParts {
  /** The number of wrong keys per minute and address that are refused without delay; 0 never delays. */
  readonly perMinute: number
  /** Any monotonic clock. */
  readonly nowMs: () => number
  readonly observe: Observe
}

const minuteMs = 60_000
const waitMsMax = 5000
/** Above this number the least recent addresses are forgotten. The map takes a few MiB. */
const addressesMax = 10_000

export class FailedKeys {
  readonly #parts: FailedKeysParts
  /** When the wrong keys of an address are paid off, each by its share of a minute. */
  readonly #pastMs = new Map<string, number>()
  #unreported = 0
  #reportedMs = Number.NEGATIVE_INFINITY

  constructor(parts: FailedKeysParts) {
    this.#parts = parts
  }

  /** How long to delay a refusal; 0 unless the request had an unknown key. */
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
    this.#unreported += 1
    const isReported = now - this.#reportedMs >= minuteMs
    this.#parts.observe({ kind: 'keyRefused', ip, unreported: isReported ? this.#unreported : null })
    if (!isReported) return
    this.#unreported = 0
    this.#reportedMs = now
  }
}

/** The network that an address stands for. An IPv6 address counts by its /64 network, because its holder has very many addresses to choose from. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip
  const mapped = ip.slice(ip.lastIndexOf(':') + 1)
  if (mapped.includes('.')) return mapped
  const [before, after] = ip.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = after === undefined ? 0 : 8 - before!.length - after.length
  return [...before!, ...new Array<string>(zeros).fill('0'), ...(after ?? [])].slice(0, 4).join(':')
}
