// V8 collects garbage at the rate of allocation. An idle thread does not allocate, so the memory of its busy times stays, large arrays above all.
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const mebibyte = 1024 * 1024

/** When garbage is collected in addition to V8's own collections. Each takes tens of milliseconds. */
export interface CollectionTimes {
  /** How often the thread is checked. */
  readonly checkMs: number
  /** The largest share of its time that the thread may be busy. */
  readonly utilizationMax: number
  /** The least growth of the held memory since the last collection. */
  readonly grownBytes: number
}

/** An idle thread still gets queries now and then, and rows every few seconds. */
export const whenIdle: CollectionTimes = { checkMs: 10_000, utilizationMax: 0.05, grownBytes: 16 * mebibyte }

/** With little memory, even a busy thread spends time on collections. */
export const whenGrown: CollectionTimes = { checkMs: 200, utilizationMax: 1, grownBytes: 10 * mebibyte }

export interface GarbageCollectionParts {
  readonly times: CollectionTimes
  /** The share of the time since the last call that the thread was busy. */
  readonly utilization: () => number
  /** Bytes of the heap and of the arrays outside it. */
  readonly heldBytes: () => number
  readonly collect: () => void
}

export class GarbageCollection {
  readonly #parts: GarbageCollectionParts
  /** Bytes held after the last collection. */
  #keptBytes = 0

  constructor(parts: GarbageCollectionParts) {
    this.#parts = parts
  }

  check(): void {
    const { times, utilization, heldBytes, collect } = this.#parts
    const isBusy = utilization() > times.utilizationMax
    const held = heldBytes()
    this.#keptBytes = Math.min(this.#keptBytes, held)
    if (isBusy || held - this.#keptBytes < times.grownBytes) return
    collect()
    this.#keptBytes = heldBytes()
  }

  /** Reports that this many of the held bytes are garbage now. */
  noteGarbage(bytes: number): void {
    this.#keptBytes -= bytes
  }
}

/** Collects the garbage of the calling thread until it ends. */
export function collectGarbage(times: CollectionTimes): GarbageCollection {
  let last: EventLoopUtilization | undefined
  const utilization = (): number => {
    const now = performance.eventLoopUtilization()
    const since = performance.eventLoopUtilization(now, last)
    last = now
    return since.utilization
  }
  const collection = new GarbageCollection({ times, utilization, heldBytes, collect: newCollect() })
  setInterval(() => collection.check(), times.checkMs).unref()
  return collection
}

export function heldBytes(): number {
  const { total_physical_size, external_memory } = getHeapStatistics()
  return total_physical_size + external_memory
}

const collectFlag = '--expose-gc'

/** V8 exposes `gc` to contexts made while the flag is set. The flag is reset because cached code is valid only for the flags it was compiled under. */
export function newCollect(): () => void {
  setFlagsFromString(collectFlag)
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString(collectFlag.replace('--', '--no-'))
  if (typeof collect !== 'function') throw new Error(`Node.js does not know the flag ${collectFlag}`)
  return () => collect()
}
