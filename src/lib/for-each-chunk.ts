import type { Pacer } from './pacer.ts'

/** Rows read or moved between two checks of the clock. */
const partRows = 8192

/** Calls `take` for the indexes from `start` to `end` (exclusive) in parts, one after another, with rests between them. */
export async function forEachChunk(
  start: number,
  end: number,
  pacer: Pacer,
  take: (start: number, end: number) => void,
): Promise<void> {
  for (let partStart = start; partStart < end; partStart += partRows) {
    const partEnd = Math.min(end, partStart + partRows)
    take(partStart, partEnd)
    if (pacer.spend(partEnd - partStart)) await pacer.rest()
  }
}
