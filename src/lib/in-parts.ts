import type { Pacer } from './pacer.ts'

/** Rows that are looked at or moved between two looks at the clock. */
const partRows = 8192

/** Calls `take` for the places from `start` up to `end` in parts, one after the other, with rests between them. */
export async function inParts(
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
