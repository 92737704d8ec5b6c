// How far V8 lets the heap of the program grow before it collects garbage.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

export const growthFlag = '--heap-growing-percent'
const floorBytes = 320 * 1024 * 1024
/** V8 itself never lets the heap grow more than fourfold. */
const percentMax = 400
const percentStep = 50
const checkMs = 1000
export const youngFlag = '--semi-space-growth-factor=1'
/** The program loads within a second, and the young generation would grow in that time. */
const youngMs = 100

/**
 * The percentage by which the heap may grow beyond the bytes in use, so that it can reach 320 MiB including arrays. 0 leaves the decision to V8,
 * which then considers the amount of garbage.
 */
export function growthPercent(usedBytes: number): number {
  const percent = (floorBytes / usedBytes - 1) * 100
  return Math.max(0, Math.min(percentMax, Math.floor(percent / percentStep) * percentStep))
}

/**
 * While the heap of the program is small, it is hardly ever marked. The bodies of pushes are allocated and freed next to it, a hundred megabytes per
 * million rows; by default the collector marks the whole heap for every ten megabytes of them. Lasts until the process ends.
 */
export function letHeapGrow(): void {
  let percent = -1
  const check = (): void => {
    const now = growthPercent(getHeapStatistics().used_heap_size)
    if (now === percent) return
    percent = now
    setFlagsFromString(`${growthFlag}=${percent}`)
  }
  check()
  setInterval(check, checkMs).unref()
}

/** Stops the growth of V8's young generation, which would reach 32 MiB. V8 resets the flag with each thread that is started. */
export function keepYoungSmall(): void {
  const set = (): void => setFlagsFromString(youngFlag)
  set()
  setInterval(set, youngMs).unref()
}
