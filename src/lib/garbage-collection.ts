// V8 goes by how fast memory is asked for. A thread that is idle asks for none, so what it held when it was busy stays: large arrays above all.
import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const mebibyte = 1024 * 1024

/** When garbage is collected beside V8's own collections. Each takes tens of milliseconds. */
export interface CollectionTimes {
  /** How often the thread is looked at. */
  readonly checkMs: number
  /** The part of its time that the thread is busy, at most. */
  readonly utilizationMax: number
  /** How much more it holds than after the last collection. */
  readonly grownBytes: number
}

/** An idle thread has questions now and then, and rows every few seconds. */
export const whenIdle: CollectionTimes = { checkMs: 10_000, utilizationMax: 0.05, grownBytes: 16 * mebibyte }

/** Where memory is little, a busy thread pays for it with its time. */
export const whenGrown: CollectionTimes = { checkMs: 200, utilizationMax: 1, grownBytes: 10 * mebibyte }

export interface GarbageCollectionParts {
  readonly times: CollectionTimes
  /** The part of the time since the last call that the thread was busy. */
  readonly utilization: () => number
  /** The heap and the arrays beside it. */
  readonly heldBytes: () => number
  readonly collect: () => void
}

export class GarbageCollection {
  readonly #parts: GarbageCollectionParts
  /** After the last collection. */
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

  /** So much of what it holds is garbage now. */
  letGo(bytes: number): void {
    this.#keptBytes -= bytes
  }
}

/** Of the thread that calls this, until it ends. */
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

/** V8 gives it to contexts that are made while the flag is set. Kept code is good only for the flags that it was compiled under. */
export function newCollect(): () => void {
  setFlagsFromString(collectFlag)
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString(collectFlag.replace('--', '--no-'))
  if (typeof collect !== 'function') throw new Error(`Node.js does not know the flag ${collectFlag}`)
  return () => collect()
}
