// Means that are taken here and not by Druid.
import type { AveragePlan } from '../../model/plan.ts'
import { resultTooLarge } from '../limits.ts'
import { bucketStarts } from './bucket-columns.ts'
import { type DruidRun, startMs } from './druid-run.ts'
import { items } from './selected-items.ts'

/** The start of a bucket, null for the one bucket of granularity `all`, then the keys, then the means. */
export type MeanRow = unknown[]

export interface Means {
  readonly rows: MeanRow[]
  /** The date of the first item, where it was asked for. */
  firstMs: number
}

/** What values are multiplied by where their sum overflows: a power of two, so that nothing is rounded. */
export const overflowScale = 2 ** -64

/** The mean of scaled values; rounding may lead a hair beyond the largest double. */
export function unscaled(mean: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, mean / overflowScale))
}

/** A mean while its values come. */
class Mean {
  #sum = 0
  #scaled = 0
  #count = 0

  add(value: number): void {
    this.#count++
    this.#sum += value
    this.#scaled += value * overflowScale
  }

  get value(): number | null {
    if (this.#count === 0) return null
    return Number.isFinite(this.#sum) ? this.#sum / this.#count : unscaled(this.#scaled / this.#count)
  }
}

interface Gathered {
  readonly bucketMs: number | null
  readonly keys: readonly unknown[]
  readonly means: readonly Mean[]
}

/** The means of an entity whose newer rows replace older ones. */
export async function replacedMeans(
  { selection, range, granularity, byTag }: AveragePlan,
  run: DruidRun,
): Promise<Means> {
  const startOf = bucketStarts(granularity, run.buckets)
  const ranges = [{ fromMs: startMs(selection, range.fromMs), toMs: range.toMs }]
  const fieldsFrom = 1 + selection.tags.length
  const keysFrom = byTag ? 1 : fieldsFrom
  const metricsFrom = fieldsFrom + selection.fields.length
  const groups = new Map<string, Gathered>()
  let firstMs = Number.POSITIVE_INFINITY
  for await (const rows of items({ selection, ranges, filter: null, limit: null }, run)) {
    for (const row of rows) {
      const ms = Number(row[0])
      const bucketMs = startOf(ms)
      const keys = row.slice(keysFrom, metricsFrom)
      const key = JSON.stringify([bucketMs, ...keys])
      let group = groups.get(key)
      if (group === undefined) {
        group = { bucketMs, keys, means: selection.metrics.map(() => new Mean()) }
        groups.set(key, group)
      }
      firstMs = Math.min(firstMs, ms)
      for (const [index, mean] of group.means.entries()) {
        const value = row[metricsFrom + index] ?? null
        if (value !== null) mean.add(Number(value))
      }
    }
    if (groups.size > run.limits.resultRows) throw resultTooLarge(run.limits.resultRows, null)
  }
  const rows = [...groups.values()].map(({ bucketMs, keys, means }) => [
    bucketMs,
    ...keys,
    ...means.map(({ value }) => value),
  ])
  return { rows, firstMs }
}
