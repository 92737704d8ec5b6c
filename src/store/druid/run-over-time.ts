import { inOrder, sortInSlices } from '../../lib/sort-in-slices.ts'
import type { Value } from '../../model/column.ts'
import type { OverTimePlan, Range, Selection } from '../../model/plan.ts'
import { Problem } from '../../model/problem.ts'
import type { ItemRun } from '../over-time/item-run.ts'
import { type Ends, type NeededItems, neededItems, OverTimeAnswer, type Series } from '../over-time/over-time-answer.ts'
import type { ResultBatch } from '../series-store.ts'
import { type DruidRun, startMs } from './druid-run.ts'
import { itemsAt } from './items-at.ts'
import { nearestItems } from './nearest-items.ts'
import { rowWindows } from './row-windows.ts'
import { items } from './selected-items.ts'
import { selectionFilter, tagFilter } from './selection-filter.ts'
import type { TagKey } from './tag-keys.ts'
import type { Direction } from './time-windows.ts'

/** About how many rows are in memory at once. */
const windowRows = 200_000
const always: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/** An item as it is read: its time, tags and fields, metrics, position. */
type Row = readonly unknown[]

/**
 * Values over time: the items of the range are read in their order, with those of each metric before and behind it. With `fields`, which
 * combinations there are only all rows say.
 */
export async function* runOverTime(plan: OverTimePlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { selection } = plan
  const { window, ...needed } = neededItems(plan)
  const readsAll = selection.fields.length > 0
  const wanted = readsAll ? always : { fromMs: window.fromMs, toMs: window.endMs }
  const range = { fromMs: startMs(selection, wanted.fromMs), toMs: wanted.toMs }
  const windows = await windowsOf(selection, range, run)
  const held = new HeldWindows(selection, run)
  const ends = needed.ends === null ? null : await endsOf(needed.ends, windows, held)
  const functions = new Functions(plan, new OverTimeAnswer(plan, run, ends))
  if (needed.before && !readsAll && window.fromMs > Number.NEGATIVE_INFINITY) {
    const earlier = { fromMs: startMs(selection, Number.NEGATIVE_INFINITY), toMs: window.fromMs - 1 }
    functions.add(await nearest(selection, earlier, 'backwards', run))
  }
  for (const one of windows) {
    functions.add(await held.take(one))
    if (run.pacer.spend(windowRows)) await run.pacer.rest()
  }
  const later = { fromMs: window.endMs + 1, toMs: Number.POSITIVE_INFINITY }
  if (needed.after && !readsAll) functions.add(await nearest(selection, later, 'forwards', run))
  yield* functions.finish()
}

async function windowsOf(selection: Selection, range: Range, run: DruidRun): Promise<readonly Range[]> {
  if (range.fromMs > range.toMs) return []
  const filter = run.replacedBy === null ? selectionFilter(selection) : tagFilter(selection)
  const windows = await rowWindows(run.target, range, filter, windowRows)
  const rows = windows.reduce((sum, window) => sum + window.rows, 0)
  if (rows <= run.readRows) return windows
  throw new Problem(
    'result_too_large',
    `The query would read ${rows} rows, and limits.readRows is ${run.readRows}. Ask for a shorter range of dates, for fewer tags (ids, prefixes), or without fields.`,
  )
}

/** The dates of the first and last item, where they are needed. */
async function endsOf(
  needed: NonNullable<NeededItems['ends']>,
  windows: readonly Range[],
  held: HeldWindows,
): Promise<Ends> {
  const ends = { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY }
  // The windows at the ends may hold rows that are no items, and so none.
  for (const window of needed.first ? windows : []) {
    const first = (await held.read(window))[0]
    if (first === undefined) continue
    ends.firstMs = Number(first[0])
    break
  }
  for (const window of needed.last ? windows.toReversed() : []) {
    const last = (await held.read(window)).at(-1)
    if (last === undefined) continue
    ends.lastMs = Number(last[0])
    break
  }
  return ends
}

/** The items of windows by time, then position. Those that were looked at before their turn are not read again. */
class HeldWindows {
  readonly #selection: Selection
  readonly #run: DruidRun
  readonly #held = new Map<Range, readonly Row[]>()

  constructor(selection: Selection, run: DruidRun) {
    this.#selection = selection
    this.#run = run
  }

  async read(window: Range): Promise<readonly Row[]> {
    const held = this.#held.get(window)
    if (held !== undefined) return held
    const rows: Row[] = []
    for await (const part of items(
      { selection: this.#selection, ranges: [window], filter: null, limit: null },
      this.#run,
    )) {
      for (const row of part) rows.push(row)
    }
    const ordered = await byTimeAndPosition(rows, this.#run)
    this.#held.set(window, ordered)
    return ordered
  }

  async take(window: Range): Promise<readonly Row[]> {
    const rows = await this.read(window)
    this.#held.delete(window)
    return rows
  }
}

async function byTimeAndPosition(rows: readonly Row[], { pacer }: DruidRun): Promise<readonly Row[]> {
  const times = Float64Array.from(rows, ([ms]) => Number(ms))
  const positions = Float64Array.from(rows, (row) => Number(row.at(-1)))
  const compare = (left: number, right: number): number =>
    times[left]! - times[right]! || positions[left]! - positions[right]!
  return Array.from(await sortInSlices(inOrder(rows.length), 0, compare, pacer), (place) => rows[place]!)
}

/** Of each tag and metric the newest item of the nearest date, as rows in which the other metrics are null. */
async function nearest(
  selection: Selection,
  range: Range,
  direction: Direction,
  run: DruidRun,
): Promise<readonly Row[]> {
  const { metrics, tags } = selection
  const rows: Row[] = []
  for (const [place, metric] of metrics.entries()) {
    const ofMetric = { ...selection, metrics: [metric] }
    const found = await nearestItems(ofMetric, range, direction, 0, run)
    const dates = new Map<TagKey, ReadonlySet<number>>()
    for (const [tag, { nearestMs }] of found) dates.set(tag, new Set([nearestMs]))
    for (const { row } of await itemsAt(ofMetric, dates, 'newest', run)) {
      const values = metrics.map((_, other) => (other === place ? row[1 + tags.length] : null))
      rows.push([...row.slice(0, 1 + tags.length), ...values, row.at(-1)])
    }
  }
  return byTimeAndPosition(rows, run)
}

/** The functions of time of all combinations of tags and fields. */
class Functions {
  readonly #answer: OverTimeAnswer
  readonly #selection: Selection
  readonly #metricsFrom: number
  readonly #series = new Map<string, Series>()

  constructor({ selection }: OverTimePlan, answer: OverTimeAnswer) {
    this.#answer = answer
    this.#selection = selection
    this.#metricsFrom = 1 + selection.tags.length + selection.fields.length
  }

  /** Rows in their order. */
  add(rows: readonly Row[]): void {
    const byKey = new Map<string, Row[]>()
    for (const row of rows) {
      const key = JSON.stringify(row.slice(1, this.#metricsFrom))
      const known = byKey.get(key)
      if (known === undefined) byKey.set(key, [row])
      else known.push(row)
    }
    for (const [key, own] of byKey) {
      const series = this.#series.get(key) ?? this.#answer.series(this.#keysOf(own[0]!))
      this.#series.set(key, series)
      series.add(new RowsRun(own, this.#selection, this.#metricsFrom))
    }
  }

  async *finish(): AsyncGenerator<ResultBatch> {
    for (const series of this.#series.values()) await series.finish()
    yield* this.#answer.batches()
  }

  #keysOf(row: Row): readonly Value[] {
    const { tags, fields } = this.#selection
    return [...tags, ...fields].map(({ type }, index) => valueRead(row[1 + index], type))
  }
}

/** Truth values come as 0 and 1, long numbers as their digits. */
function valueRead(value: unknown, type: Selection['time']['type']): Value {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'string':
      return String(value)
    case 'boolean':
      return Number(value) === 1
    case 'long': {
      const number = Number(value)
      return Number.isSafeInteger(number) ? number : BigInt(String(value))
    }
    default:
      return Number(value)
  }
}

class RowsRun implements ItemRun {
  readonly times: Float64Array
  readonly start = 0
  readonly end: number
  readonly #rows: readonly Row[]
  readonly #metrics: Selection['metrics']
  readonly #from: number

  constructor(rows: readonly Row[], { metrics }: Selection, from: number) {
    this.#rows = rows
    this.#metrics = metrics
    this.#from = from
    this.end = rows.length
    this.times = Float64Array.from(rows, ([ms]) => Number(ms))
  }

  numbers(metric: number): Float64Array | null {
    const { type } = this.#metrics[metric]!
    if (type === 'string' || type === 'boolean') return null
    return Float64Array.from(this.#rows, (row) => {
      const value = row[this.#from + metric]
      return value === null || value === undefined ? Number.NaN : Number(value)
    })
  }

  value(metric: number, row: number): Value {
    return valueRead(this.#rows[row]![this.#from + metric], this.#metrics[metric]!.type)
  }

  position(row: number): number {
    return Number(this.#rows[row]!.at(-1))
  }
}
