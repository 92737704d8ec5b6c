import type { Pacer } from '../../../lib/pacer.ts'
import { msPerDay } from '../../../model/instant.ts'
import { firstAtOrAfter } from '../head/chunk.ts'
import type { SeriesSource } from '../reading/series-source.ts'

/** The UTC day of an instant, in days since 1970-01-01. */
export function dayOf(ms: number): number {
  return Math.floor(ms / msPerDay)
}

/** The cost of a series in addition to its rows, in units of a pacer: finding and merging sources, writing index entries. */
export const seriesUnits = 512

/** Counts the rows of each UTC day. */
export async function countDays(source: SeriesSource, series: Int32Array, pacer: Pacer): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  for (const one of series) {
    const prepared = source.prepare(one, pacer)
    if (prepared !== null) await prepared
    for (const { chunk, start, end } of source.run(one, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)) {
      for (let row = start; row < end; ) {
        const day = dayOf(chunk.times[row])
        const isOneDay = chunk.times[end - 1] < (day + 1) * msPerDay
        const next = isOneDay ? end : firstAtOrAfter(chunk.times, row, end, (day + 1) * msPerDay)
        counts.set(day, (counts.get(day) ?? 0) + next - row)
        row = next
      }
      if (pacer.spend(end - start)) await pacer.rest()
    }
    if (pacer.spend(seriesUnits)) await pacer.rest()
  }
  return counts
}
