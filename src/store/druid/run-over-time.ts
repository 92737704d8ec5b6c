import { qualityCondition } from '../../algebra/quality-condition.ts'
import { addTo } from '../../lib/add-to.ts'
import type { Value } from '../../model/column.ts'
import type { OverTimePlan, Range, Selection } from '../../model/plan.ts'
import { codingOf, passesQuality, qualityOf } from '../../model/quality.ts'
import { hasPartsOfHours, type KeptOverTime, keptOverTime } from '../hours/kept-over-time.ts'
import { tooManyRead } from '../limits.ts'
import type { ItemRun, QualityOfRows } from '../over-time/item-run.ts'
import type { Series } from '../over-time/item-series.ts'
import { type Ends, type NeededItems, neededItems, plottedRange } from '../over-time/needed-items.ts'
import { OverTimeResult } from '../over-time/over-time-result.ts'
import type { ResultBatch } from '../series-store.ts'
import { type DruidRun, startMs } from './druid-run.ts'
import { valueRead } from './druid-value.ts'
import { HoursOfRun } from './hours/hours-over-time.ts'
import { itemsAt } from './items-at.ts'
import { byTimeAndPosition, itemsInOrder, type Row } from './items-in-order.ts'
import { nearestItems } from './nearest-items.ts'
import { rowWindows } from './row-windows.ts'
import { selectionFilter, tagFilter } from './selection-filter.ts'
import type { TagKey } from './tag-keys.ts'
import type { Direction } from './time-windows.ts'

/** About how many rows are in memory at once. */
const windowRows = 200_000
const always: Range = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }

/**
 * Values over time: reads the items of the range in order, and for each metric the nearest items before and after the range. With `fields` all rows are
 * read, because only they show which combinations exist. For expired rows, the kept hours are read.
 */
export async function* runOverTime(plan: OverTimePlan, run: DruidRun): AsyncGenerator<ResultBatch> {
  const { selection } = plan
  const needed = neededItems(plan)
  const { window } = needed
  // A plot only shows fields; it does not group by them.
  const readsAll = selection.fields.length > 0 && plan.kind !== 'plot'
  const read = ofAnyQuality(selection)
  const hours = run.kept && (await HoursOfRun.open(selection, run.kept, run))
  const keptParts = keptOverTime(plan, needed, hours, run.buckets)
  const wanted = readsAll ? always : { fromMs: window.fromMs, toMs: window.endMs }
  const range = { fromMs: startMs(selection, wanted.fromMs), toMs: wanted.toMs }
  const windows = await windowsOf(read, range, run)
  const held = new WindowCache(read, run)
  const layout = new RowLayout(plan, read)
  const { ends, kept } = await endsAndKept(
    plan,
    { ends: needed.ends, hours, kept: keptParts },
    { windows, held, layout },
  )
  const functions = new Functions(layout, new OverTimeResult(plan, run, ends))
  if (hours !== null && kept !== null) await functions.addKept(hours, kept)
  if (needed.before && !readsAll && window.fromMs > Number.NEGATIVE_INFINITY) {
    const earlier = { fromMs: startMs(selection, Number.NEGATIVE_INFINITY), toMs: window.fromMs - 1 }
    functions.add(await nearest(selection, earlier, 'backwards', run))
  }
  for (const one of windows) {
    functions.add(await held.take(one))
    if (run.pacer.spend(windowRows)) await run.pacer.rest()
  }
  const later = { fromMs: startMs(selection, window.endMs + 1), toMs: Number.POSITIVE_INFINITY }
  if (needed.after && !readsAll) functions.add(await nearest(selection, later, 'forwards', run))
  yield* functions.finish()
}

/** The selection with items of any quality, and the quality after the fields: an item whose quality is not accepted ends the value before it. */
function ofAnyQuality(selection: Selection): Selection {
  const { quality, ...read } = selection
  if (quality === undefined || read.fields.includes(quality.field)) return read
  return { ...read, fields: [...read.fields, quality.field] }
}

/** The layout of a row. */
class RowLayout {
  readonly read: Selection
  readonly metricsFrom: number
  /** The end of the columns that identify a function of time. */
  readonly keysEnd: number
  readonly #selection: Selection
  readonly #isPlot: boolean
  readonly #quality: number

  constructor({ selection, kind }: OverTimePlan, read: Selection) {
    this.read = read
    this.metricsFrom = 1 + read.tags.length + read.fields.length
    this.#selection = selection
    this.#isPlot = kind === 'plot'
    this.keysEnd = 1 + read.tags.length + (this.#isPlot ? 0 : selection.fields.length)
    this.#quality = 1 + read.tags.length + read.fields.findIndex(({ name }) => name === selection.quality?.field.name)
  }

  keys(row: Row): readonly Value[] {
    const { tags, fields } = this.#selection
    return [...tags, ...(this.#isPlot ? [] : fields)].map(({ type }, index) => valueRead(row[1 + index], type))
  }

  shown(row: Row): readonly Value[] {
    const { tags, fields } = this.#selection
    return this.#isPlot ? fields.map(({ type }, index) => valueRead(row[1 + tags.length + index], type)) : []
  }

  /** Null where the entity has no quality. */
  quality(rows: readonly Row[]): QualityOfRows | null {
    const { quality } = this.#selection
    if (quality === undefined) return null
    const read = (row: number): Value => valueRead(rows[row]![this.#quality], quality.field.type)
    return {
      isTaken: (row) => passesQuality(read(row), quality),
      isGood: (row) => qualityOf(read(row), codingOf(quality.field)) === 'good',
    }
  }
}

async function windowsOf(selection: Selection, range: Range, run: DruidRun): Promise<readonly Range[]> {
  if (range.fromMs > range.toMs) return []
  const filter = run.replacedBy === null ? selectionFilter(selection) : tagFilter(selection)
  const windows = await rowWindows(run.target, range, filter, windowRows)
  const rows = windows.reduce((sum, window) => sum + window.rows, 0)
  if (rows <= run.readRows) return windows
  throw tooManyRead(rows, run.readRows)
}

interface RowsInOrder {
  readonly windows: readonly Range[]
  readonly held: WindowCache
  readonly layout: RowLayout
}

interface KeptRun {
  readonly hours: HoursOfRun | null
  readonly kept: KeptOverTime | null
}

/** The ends that are needed, and the kept hours. A plot gets no hours if its parts turn out to be finer than hours. */
async function endsAndKept(
  plan: OverTimePlan,
  { ends: needed, hours, kept }: KeptRun & Pick<NeededItems, 'ends'>,
  rows: RowsInOrder,
): Promise<{ readonly ends: Ends | null; readonly kept: KeptOverTime | null }> {
  if (needed === null) return { ends: null, kept }
  const ends = await endsOf(needed, rows, { hours, kept })
  if (kept === null || plan.kind !== 'plot' || hasPartsOfHours(plan, hours, plottedRange(plan, ends)))
    return { ends, kept }
  return { ends: await endsOf(needed, rows, { hours, kept: null }), kept: null }
}

/** The dates of the first and last item, if they are needed. */
async function endsOf(
  needed: NonNullable<NeededItems['ends']>,
  { windows, held, layout }: RowsInOrder,
  { hours, kept }: KeptRun,
): Promise<Ends> {
  const taken = async (window: Range): Promise<readonly Row[]> => {
    const rows = await held.read(window)
    const quality = layout.quality(rows)
    return quality === null ? rows : rows.filter((_, row) => quality.isTaken(row))
  }
  const series = kept === null ? [] : Array.from(hours?.series ?? [], (_, place) => place)
  const ends = { firstMs: Number.POSITIVE_INFINITY, lastMs: Number.NEGATIVE_INFINITY }
  for (const one of needed.first ? series : []) ends.firstMs = Math.min(ends.firstMs, await kept!.firstMs(one))
  // The windows at the ends may contain only rows that are not items.
  for (const window of needed.first && ends.firstMs === Number.POSITIVE_INFINITY ? windows : []) {
    const first = (await taken(window))[0]
    if (first === undefined) continue
    ends.firstMs = Number(first[0])
    break
  }
  for (const window of needed.last ? windows.toReversed() : []) {
    const last = (await taken(window)).at(-1)
    if (last === undefined) continue
    ends.lastMs = Number(last[0])
    break
  }
  const isOfKept = needed.last && ends.lastMs === Number.NEGATIVE_INFINITY
  for (const one of isOfKept ? series : []) ends.lastMs = Math.max(ends.lastMs, await kept!.lastMs(one))
  return ends
}

/** Reads the items of windows, sorted by time, then position. A window that was read before its turn is not read again. */
class WindowCache {
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
    const ordered = await itemsInOrder(this.#selection, window, this.#run)
    this.#held.set(window, ordered)
    return ordered
  }

  async take(window: Range): Promise<readonly Row[]> {
    const rows = await this.read(window)
    this.#held.delete(window)
    return rows
  }
}

/**
 * For each tag and metric the newest item of the nearest date, and that of the nearest date with an item of accepted quality, as rows in which the other
 * metrics are null.
 */
async function nearest(
  selection: Selection,
  range: Range,
  direction: Direction,
  run: DruidRun,
): Promise<readonly Row[]> {
  const { metrics, quality } = selection
  const any = ofAnyQuality(selection)
  const metricsFrom = 1 + any.tags.length + any.fields.length
  const taken = quality === undefined || qualityCondition(quality) === null ? [] : [{ ...any, quality }]
  const rows: Row[] = []
  for (const [place, metric] of metrics.entries()) {
    for (const some of [any, ...taken]) {
      const ofMetric = { ...some, metrics: [metric] }
      const found = await nearestItems(ofMetric, range, direction, 0, run)
      const dates = new Map<TagKey, ReadonlySet<number>>()
      for (const [tag, { nearestMs }] of found) dates.set(tag, new Set([nearestMs]))
      for (const { row } of await itemsAt(ofMetric, dates, 'newest', run)) {
        const values = metrics.map((_, other) => (other === place ? row[metricsFrom] : null))
        rows.push([...row.slice(0, metricsFrom), ...values, row.at(-1)])
      }
    }
  }
  return byTimeAndPosition(rows, run)
}

/** The functions of time of all combinations of tags and fields. */
class Functions {
  readonly #answer: OverTimeResult
  readonly #layout: RowLayout
  readonly #series = new Map<string, Series>()
  /** The keys of series that the kept hours cover completely. */
  readonly #over = new Set<string>()

  constructor(layout: RowLayout, answer: OverTimeResult) {
    this.#layout = layout
    this.#answer = answer
  }

  /** Adds the kept hours of each series. They must be added before rows. */
  async addKept({ series: all }: HoursOfRun, kept: KeptOverTime): Promise<void> {
    for (const [place, { tags }] of all.entries()) {
      const key = JSON.stringify(tags)
      const rowsFromMs = await kept.read(place, this.#of(key, tags))
      if (rowsFromMs === Number.POSITIVE_INFINITY) this.#over.add(key)
    }
  }

  /** Adds rows, which must be in order. */
  add(rows: readonly Row[]): void {
    const byKey = new Map<string, Row[]>()
    for (const row of rows) {
      const key = JSON.stringify(row.slice(1, this.#layout.keysEnd))
      addTo(byKey, key, row)
    }
    for (const [key, own] of byKey) {
      if (!this.#over.has(key)) this.#of(key, this.#layout.keys(own[0]!)).add(new RowsRun(own, this.#layout))
    }
  }

  #of(key: string, keys: readonly Value[]): Series {
    const series = this.#series.get(key) ?? this.#answer.series(keys)
    this.#series.set(key, series)
    return series
  }

  async *finish(): AsyncGenerator<ResultBatch> {
    for (const series of this.#series.values()) await series.finish()
    yield* this.#answer.batches()
  }
}

class RowsRun implements ItemRun {
  readonly times: Float64Array
  readonly start = 0
  readonly end: number
  readonly quality: QualityOfRows | null
  readonly #rows: readonly Row[]
  readonly #layout: RowLayout
  readonly #metrics: Selection['metrics']
  readonly #from: number

  constructor(rows: readonly Row[], layout: RowLayout) {
    this.#rows = rows
    this.#layout = layout
    this.#metrics = layout.read.metrics
    this.#from = layout.metricsFrom
    this.end = rows.length
    this.quality = layout.quality(rows)
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

  shown(row: number): readonly Value[] {
    return this.#layout.shown(this.#rows[row]!)
  }

  part(start: number, end: number): ItemRun {
    return new RowsRun(this.#rows.slice(start, end), this.#layout)
  }
}
