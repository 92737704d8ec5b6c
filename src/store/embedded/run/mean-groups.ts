import type { PlanLimits } from '../../../model/plan.ts'
import { resultTooLarge, tooManyBuckets } from '../../limits.ts'
import { type Chunk, newChunk, type Stretch } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import type { HourSums } from '../reading/sealed-source.ts'
import type { Combinations } from './combinations.ts'
import { GroupTable } from './group-table.ts'
import type { PlanRun } from './plan-run.ts'
import { GroupSums, type Sum, sumRows } from './sum.ts'

/** For combinations of tags alone, which no row is needed for. */
const noRows = newChunk(0)

/** The groups of an average: a bucket, a tag (or all of them pooled) and a combination of fields each. */
export class MeanGroups {
  /** By group. */
  readonly bucketsMs = new GrowableFloat64()
  readonly series = new GrowableInt32(18)
  readonly combinations = new GrowableInt32(20)
  /** By metric. */
  readonly sums: readonly GroupSums[]
  /** The date of the oldest item, for a bucket that has no start of its own. */
  firstMs = Number.POSITIVE_INFINITY
  readonly #columns: readonly number[]
  readonly #parts: readonly Sum[]
  readonly #combined: Combinations | null
  readonly #limits: PlanLimits
  /** The groups of the tag at hand. */
  #ofTag: GroupTable
  #tags = 0
  /**
   * The buckets of all tags, each counted once, as ticks of a snap are. If there are no fields, the buckets of the first tag are its
   * groups.
   */
  #bucketsSeen: GroupTable | null = null
  #buckets = 0
  /** Whether there may be more buckets than may be: no more, once two groups have one in common, where groups are bounded by as much. */
  #mayPass = true

  constructor(
    { metrics, limits, memory }: Pick<PlanRun, 'metrics' | 'limits' | 'memory'>,
    combined: Combinations | null,
  ) {
    this.#ofTag = memory.groups
    this.#columns = metrics.map((metric) => (metric.kind === 'column' ? metric.index : -1))
    this.sums = metrics.map(() => new GroupSums())
    this.#parts = metrics.map(() => ({ sum: 0, error: 0, count: 0 }))
    this.#combined = combined
    this.#limits = limits
  }

  get length(): number {
    return this.bucketsMs.length
  }

  /** What follows belongs to another tag. */
  nextTag(): void {
    this.#tags++
    if (this.#tags === 2 && this.#combined === null) {
      this.#bucketsSeen = this.#ofTag
      this.#ofTag = new GroupTable()
    } else this.#ofTag.clear()
  }

  /** Adds rows [start, end) of one series, which belong to one bucket and combination. Rows without a value make no group. */
  add(chunk: Chunk, start: number, end: number, series: number, bucketMs: number): void {
    let count = 0
    for (let metric = 0; metric < this.#columns.length; metric++) {
      const part = this.#parts[metric]
      const values = this.#values(chunk, metric)
      if (values === null) part.count = 0
      else sumRows(values, start, end, 1, part)
      count += part.count
    }
    if (count === 0) return
    if (chunk.times[start] < this.firstMs) this.#findFirst(chunk, start, end)
    const group = this.#group(bucketMs, this.#combined?.at(chunk, start, series) ?? 0, series)
    for (let metric = 0; metric < this.#columns.length; metric++) {
      const values = this.#values(chunk, metric)
      if (values !== null && this.#parts[metric].count > 0) {
        this.sums[metric].add(group, this.#parts[metric], values, start, end)
      }
    }
  }

  /** Adds hour number `hour` of rollups of one series, one of `hours` a metric. */
  addHour(
    hours: readonly (HourSums | null)[],
    hour: number,
    series: number,
    bucketMs: number,
    keys: Stretch | null,
  ): void {
    const chunk = keys?.chunk ?? noRows
    const row = keys?.start ?? 0
    let group = -1
    for (let metric = 0; metric < hours.length; metric++) {
      const sums = hours[metric]
      if (sums === null || sums.counts[hour] === 0) continue
      if (group === -1) group = this.#group(bucketMs, this.#combined?.at(chunk, row, series) ?? 0, series)
      this.sums[metric].addSum(group, sums.sums[hour], sums.errors?.[hour] ?? 0, sums.counts[hour])
    }
  }

  #values(chunk: Chunk, metric: number): Float64Array | null {
    const column = chunk.columns[this.#columns[metric]]
    return column?.type === 'double' || column?.type === 'long' ? column.values : null
  }

  #findFirst(chunk: Chunk, start: number, end: number): void {
    for (let row = start; row < end; row++) {
      for (let metric = 0; metric < this.#columns.length; metric++) {
        const values = this.#values(chunk, metric)
        if (values === null || Number.isNaN(values[row])) continue
        this.firstMs = Math.min(this.firstMs, chunk.times[row])
        return
      }
    }
  }

  #group(bucketMs: number, combination: number, series: number): number {
    const next = this.length
    const group = this.#ofTag.take(bucketMs, combination, next)
    if (group !== next) return group
    if (this.#mayPass) this.#countBucket(bucketMs)
    if (group === this.#limits.resultRows) throw resultTooLarge(this.#limits.resultRows, null)
    this.bucketsMs.push(bucketMs)
    this.series.push(series)
    this.combinations.push(combination)
    return group
  }

  #countBucket(bucketMs: number): void {
    const { buckets, resultRows } = this.#limits
    const isOfGroup = this.#tags <= 1 && this.#combined === null
    if (isOfGroup || this.#isNewBucket(bucketMs)) this.#buckets++
    else if (resultRows <= buckets) this.#mayPass = false
    if (this.#buckets > buckets) throw tooManyBuckets(buckets)
    if (!this.#mayPass) this.#bucketsSeen = null
  }

  #isNewBucket(bucketMs: number): boolean {
    this.#bucketsSeen ??= new GroupTable()
    return this.#bucketsSeen.take(bucketMs, 0, this.length) === this.length
  }
}
