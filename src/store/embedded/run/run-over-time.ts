import type { TimeBuckets } from '../../../algebra/aggregation.ts'
import { nullCode, type Value } from '../../../model/column.ts'
import type { OverTimePlan } from '../../../model/plan.ts'
import { hasPartsOfHours, type KeptOverTime, keptOverTime } from '../../hours/kept-over-time.ts'
import type { ItemRun, QualityOfRows } from '../../over-time/item-run.ts'
import type { Series } from '../../over-time/item-series.ts'
import { type Ends, type NeededItems, neededItems, plottedRange } from '../../over-time/needed-items.ts'
import { OverTimeResult } from '../../over-time/over-time-result.ts'
import type { ResultBatch } from '../../series-store.ts'
import type { RowTest } from '../aggregate/row-conditions.ts'
import { type Chunk, type ChunkColumn, isNullIn, type RowSlice } from '../head/chunk.ts'
import { hoursOverTime } from '../hours/hours-over-time.ts'
import { SeriesWalk } from '../reading/series-walk.ts'
import { Combinations } from './combinations.ts'
import type { FieldAccessor, FieldKey } from './field-accessor.ts'
import { ItemTest } from './item-filter.ts'
import type { PlanRun } from './plan-run.ts'
import { hoursOf } from './rollups-over-time.ts'
import { isNewer, newestItem, newestOfAll } from './run-latest.ts'
import { firstItemMs } from './snap-states.ts'

/** The approximate cost of an hour of one metric, in pacer units. */
const unitsOfHour = 16

/** Values over time, computed from the rows of each combination of tags and fields in order. */
export async function* runOverTime(
  plan: OverTimePlan,
  run: PlanRun,
  buckets: TimeBuckets | null,
): AsyncGenerator<ResultBatch> {
  const needed = neededItems(plan)
  const hours = hoursOverTime(run)
  let kept = keptOverTime(plan, needed, hours, buckets)
  let ends = needed.ends && (await endsOf(needed.ends, needed.window, run, kept))
  if (kept !== null && plan.kind === 'plot' && !hasPartsOfHours(plan, hours, plottedRange(plan, ends))) {
    kept = null
    ends = needed.ends && (await endsOf(needed.ends, needed.window, run, kept))
  }
  const reading = readingOf(run)
  const answer = new OverTimeResult(plan, { buckets, limits: run.limits, pacer: run.pacer }, ends)
  const { bounds } = run.selected
  for (let tag = 0; tag + 1 < bounds.length; tag++) {
    const series = run.selected.series.subarray(bounds[tag], bounds[tag + 1])
    for (const one of series) {
      const prepared = run.source.prepare(one, run.pacer)
      if (prepared !== null) await prepared
    }
    const tags = run.tags.map((accessor): Value => {
      const code = accessor.kind === 'tag' ? accessor.tag.codes.values[series[0]] : nullCode
      return code === nullCode ? null : accessor.dictionary.strings[code]
    })
    // A plot shows fields but does not distinguish items by them.
    if (run.fields.length > 0 && plan.kind !== 'plot') await readCombinations(series, tags, answer, reading)
    else await readTag(series, answer.series(tags), needed, reading, kept)
  }
  yield* answer.batches()
}

/** The dates of the first and the last item of the selection within the window, if they are needed. */
async function endsOf(
  needed: NonNullable<NeededItems['ends']>,
  { fromMs, endMs }: NeededItems['window'],
  run: PlanRun,
  kept: KeptOverTime | null,
): Promise<Ends> {
  let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const one of run.selected.series) {
    const prepared = run.source.prepare(one, run.pacer)
    if (prepared !== null) await prepared
    const keptMs = needed.first ? await kept?.firstMs(one) : undefined
    if (needed.first) firstMs = Math.min(firstMs, keptMs ?? firstMs, await firstItemMs(one, endMs, run))
    if (needed.last) {
      const newest = await newestItem(one, fromMs, endMs, run)
      if (newest !== null) lastMs = Math.max(lastMs, newest.chunk.times[newest.row])
    }
    if (run.pacer.spend(8)) await run.pacer.rest()
  }
  if (needed.last && lastMs === Number.NEGATIVE_INFINITY && kept !== null)
    for (const one of run.selected.series) lastMs = Math.max(lastMs, await kept.lastMs(one))
  return { firstMs, lastMs }
}

/** A run that reads items of every quality: an item whose quality is not accepted ends the value before it. */
interface Reading extends PlanRun {
  readonly passesQuality: RowTest | null
  readonly isGood: RowTest | null
}

function readingOf(run: PlanRun): Reading {
  const { quality, metrics } = run
  return {
    ...run,
    items: new ItemTest(metrics, null),
    passesQuality: quality?.passesRow ?? null,
    isGood: quality?.isGood ?? null,
  }
}

/** Reads one tag, whose items form one function of time. */
async function readTag(
  series: Int32Array,
  to: Series,
  needed: NeededItems,
  run: Reading,
  kept: KeptOverTime | null,
): Promise<void> {
  const { endMs } = needed.window
  const rowsFromMs = kept && (await kept.read(series[0], to))
  const fromMs = rowsFromMs ?? needed.window.fromMs
  if (fromMs === Number.POSITIVE_INFINITY) return to.finish()
  if (rowsFromMs === null && needed.before && fromMs > Number.NEGATIVE_INFINITY) {
    for (const item of await itemsBefore(series, fromMs, run)) to.add(item)
  }
  const untilMs = needed.after ? Number.POSITIVE_INFINITY : endMs
  let nextMs = fromMs
  // With several series, items of one may lie within the hours of another.
  const hasHours = to.acceptsRollups && series.length === 1
  for (const hour of hasHours ? hoursOf(series[0], { fromMs, toMs: endMs }, run) : []) {
    if (run.pacer.spend(unitsOfHour * run.metrics.length)) await run.pacer.rest()
    if (!to.canAdd(hour.rollups)) continue
    if (nextMs < hour.fromMs) await readRows(series, nextMs, hour.fromMs - 1, to, run)
    to.addRollups(hour.rollups)
    nextMs = hour.nextMs
  }
  await readRows(series, nextMs, untilMs, to, run)
  await to.finish()
}

/** Adds the rows of a tag within a range, until further rows cannot change the result. */
async function readRows(series: Int32Array, fromMs: number, toMs: number, to: Series, run: Reading): Promise<void> {
  for await (const { chunk, start, end } of inOrder(series, fromMs, toMs, run)) {
    to.add(new ChunkRun(run, chunk, start, end))
    if (run.pacer.spend((end - start) * run.metrics.length)) await run.pacer.rest()
    if (to.isOver) break
  }
}

/** Reads a tag with fields. The combinations, and the newest item of each, are known only after reading all its rows. */
async function readCombinations(
  series: Int32Array,
  tags: readonly Value[],
  answer: OverTimeResult,
  run: Reading,
): Promise<void> {
  const combinations = new Combinations(run.fields)
  const all: Series[] = []
  for await (const { chunk, start, end, series: one } of inOrder(
    series,
    Number.NEGATIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    run,
  )) {
    for (let row = start; row < end; ) {
      const until = combinations.sameUntil(chunk, row, end)
      const combination = combinations.at(chunk, row, one)
      all[combination] ??= answer.series([
        ...tags,
        ...run.fields.map((field, index) => valueOfKey(field, combinations.key(combination, index))),
      ])
      all[combination].add(new ChunkRun(run, chunk, row, until))
      row = until
    }
    if (run.pacer.spend((end - start) * (run.metrics.length + run.fields.length))) await run.pacer.rest()
  }
  for (const one of all) await one.finish()
}

function valueOfKey(field: FieldAccessor, key: FieldKey): Value {
  if (key === null || field.kind === 'time') return null
  if (field.type === 'string') return field.dictionary.strings[Number(key)]
  return field.type === 'boolean' ? key === 1 : key
}

/** For each metric: the newest item before a date, and the newest one of an accepted quality. Oldest first. */
async function itemsBefore(series: Int32Array, beforeMs: number, run: Reading): Promise<readonly ItemRun[]> {
  const found: KeptItem[] = []
  const tests = run.passesQuality === null ? [null] : [null, run.passesQuality]
  for (const metric of run.metrics) {
    for (const passes of tests) {
      const ofMetric = { ...run, items: new ItemTest([metric], passes) }
      const newest = await newestOfAll(series, Number.NEGATIVE_INFINITY, beforeMs - 1, ofMetric)
      // The item is copied, since reading another chunk may overwrite this one.
      if (newest !== null) found.push(new KeptItem(new ChunkRun(run, newest.chunk, newest.row, newest.row + 1)))
    }
  }
  return found.sort((left, right) => left.times[0] - right.times[0] || left.position() - right.position())
}

/** The rows of a tag within a range, in order: those of one series as stored, those of several merged item by item. */
async function* inOrder(
  series: Int32Array,
  fromMs: number,
  toMs: number,
  { source, items, pacer }: PlanRun,
): AsyncGenerator<RowSlice & { readonly series: number }> {
  if (series.length === 1) {
    for (const slice of source.run(series[0], fromMs, toMs)) yield { ...slice, series: series[0] }
    return
  }
  const walks = Array.from(series, (one) => new SeriesWalk(one, items, source.run(one, fromMs, toMs), 1))
  for (;;) {
    let oldest: SeriesWalk | null = null
    for (const walk of walks) {
      if (walk.isSeeking) await walk.seek(pacer)
      if (walk.row !== -1 && (oldest === null || isNewer(oldest, walk))) oldest = walk
    }
    if (oldest === null) return
    yield { chunk: oldest.chunk, start: oldest.row, end: oldest.row + 1, series: oldest.series }
    oldest.advance()
    if (pacer.spend(walks.length)) await pacer.rest()
  }
}

/** Rows of a chunk as items. */
class ChunkRun implements ItemRun {
  readonly times: Float64Array
  readonly start: number
  readonly end: number
  readonly #run: Reading
  readonly #chunk: Chunk

  constructor(run: Reading, chunk: Chunk, start: number, end: number) {
    this.#run = run
    this.#chunk = chunk
    this.times = chunk.times
    this.start = start
    this.end = end
  }

  numbers(metric: number): Float64Array | null {
    const column = this.#column(metric)
    return column === undefined || column.type === 'string' || column.type === 'boolean' ? null : column.values
  }

  value(metric: number, row: number): Value {
    return valueIn(this.#column(metric), row)
  }

  shown(row: number): readonly Value[] {
    return this.#run.fields.map((accessor) => valueIn(this.#columnOf(accessor), row))
  }

  part(start: number, end: number): ItemRun {
    return new ChunkRun(this.#run, this.#chunk, start, end)
  }

  get quality(): QualityOfRows | null {
    const { isGood, passesQuality } = this.#run
    if (isGood === null) return null
    const chunk = this.#chunk
    return {
      isTaken: (row) => passesQuality === null || passesQuality(chunk, row, 0),
      isGood: (row) => isGood(chunk, row, 0),
    }
  }

  position(row: number): number {
    return this.#chunk.positions[row]
  }

  get metricCount(): number {
    return this.#run.metrics.length
  }

  #column(metric: number): ChunkColumn | undefined {
    return this.#columnOf(this.#run.metrics[metric])
  }

  #columnOf(accessor: FieldAccessor): ChunkColumn | undefined {
    return accessor.kind === 'column' ? this.#chunk.columns[accessor.index] : undefined
  }
}

function valueIn(column: ChunkColumn | undefined, row: number): Value {
  if (column === undefined || isNullIn(column, row)) return null
  switch (column.type) {
    case 'string':
      return column.dictionary[column.codes[row]]
    case 'boolean':
      return column.values[row] === 1
    default: {
      const value = column.values[row]
      return column.exact === null || Number.isSafeInteger(value) ? value : column.exact[row]
    }
  }
}

/** One item, copied out of its chunk. */
class KeptItem implements ItemRun {
  readonly start = 0
  readonly end = 1
  readonly times: Float64Array
  readonly #numbers: readonly (Float64Array | null)[]
  readonly #values: readonly Value[]
  readonly #position: number
  readonly quality: QualityOfRows | null

  constructor(run: ChunkRun) {
    const [row, metrics] = [run.start, run.metricCount]
    this.times = Float64Array.of(run.times[row])
    this.#numbers = Array.from({ length: metrics }, (_, metric) => {
      const numbers = run.numbers(metric)
      return numbers && Float64Array.of(numbers[row])
    })
    this.#values = Array.from({ length: metrics }, (_, metric) => run.value(metric, row))
    this.#position = run.position(row)
    const { quality } = run
    const [isTaken, isGood] = [quality?.isTaken(row) ?? true, quality?.isGood(row) ?? true]
    this.quality = quality && { isTaken: () => isTaken, isGood: () => isGood }
  }

  numbers(metric: number): Float64Array | null {
    return this.#numbers[metric]
  }

  value(metric: number): Value {
    return this.#values[metric]
  }

  position(): number {
    return this.#position
  }

  /** The item is before the range that is shown. */
  shown(): readonly Value[] {
    return []
  }

  part(): ItemRun {
    return this
  }
}
