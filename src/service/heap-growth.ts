// How far V8 lets the heap of the program grow before it looks for garbage.
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

export const growthFlag = '--heap-growing-percent'
const floorBytes = 320 * 1024 * 1024
/** V8 itself never takes more than fourfold. */
const percentMax = 400
const percentStep = 50
const checkMs = 1000
export const youngFlag = '--semi-space-growth-factor=1'
/** The program is loaded within a second: what is kept for young objects would have grown until then. */
const youngMs = 100

/**
 * By how many percent the heap may grow over what was found in use, so that it may come to 320 MiB, with arrays. 0 leaves it to V8, which
 * then goes by how much garbage there was.
 */
export function growthPercent(usedBytes: number): number {
  const percent = (floorBytes / usedBytes - 1) * 100
  return Math.max(0, Math.min(percentMax, Math.floor(percent / percentStep) * percentStep))
}

/**
 * As long as the program's heap is small it is hardly ever marked. The bodies of pushes come and go beside it, a hundred megabytes a
 * million rows; by default the collector marks all of the heap for every ten of them. Lasts until the process ends.
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

/**
 * What V8 keeps for the young objects of the program grows no more: else it comes to 32 MiB. V8 forgets the flag with each thread that is started.
 */
export function keepYoungSmall(): void {
  const set = (): void => setFlagsFromString(youngFlag)
  set()
  setInterval(set, youngMs).unref()
}
