import { setTimeout as sleep } from 'node:timers/promises'
import { type ObjectStore, StoreRefused } from '../../src/object-store/object-store.ts'
import type { Random } from './random.ts'

const faults = [
  'refused',
  'denied',
  'torn upload',
  'lost answer',
  'no answer',
  'slow',
  'torn answer',
  'none',
  'none',
  'none',
] as const

/** A store that fails in every way that object stores do, while `isFaulty`. */
export class FaultyStore implements ObjectStore {
  isFaulty = true
  failures = 0
  readonly #store: ObjectStore
  readonly #random: Random
  /** The newest names, which a list may omit. */
  readonly #late: string[] = []

  constructor(store: ObjectStore, random: Random) {
    this.#store = store
    this.#random = random
  }

  putIfAbsent(name: string, bytes: Uint8Array): Promise<boolean> {
    this.#late.push(name)
    if (this.#late.length > 5) this.#late.shift()
    return this.#faulty(() => this.#store.putIfAbsent(name, bytes))
  }

  get(name: string): Promise<Uint8Array | null> {
    return this.#faulty(
      () => this.#store.get(name),
      (bytes) => (bytes === null ? null : bytes.subarray(0, bytes.length >> 1)),
    )
  }

  async *list(prefix: string, after?: string): AsyncIterable<string> {
    await this.#faulty(async () => undefined)
    for await (const name of this.#store.list(prefix, after))
      if (!this.isFaulty || !this.#late.includes(name)) yield name
  }

  delete(name: string): Promise<void> {
    return this.#faulty(() => this.#store.delete(name))
  }

  close(): void {
    this.#store.close()
  }

  async #faulty<T>(work: () => Promise<T>, torn: (answer: T) => T = (answer) => answer): Promise<T> {
    const fault = this.isFaulty ? faults[this.#random.below(faults.length)] : 'none'
    if (fault !== 'none') this.failures++
    if (fault === 'refused') throw new Error('503 Slow Down')
    if (fault === 'denied') throw new StoreRefused('403 AccessDenied')
    if (fault === 'torn upload') throw new Error('400 BadDigest')
    if (fault === 'slow') await sleep(50)
    const answer = await work()
    if (fault === 'lost answer') throw new Error('socket hang up')
    if (fault === 'no answer') return new Promise(() => undefined)
    return fault === 'torn answer' ? torn(answer) : answer
  }
}
