// Answers of plans of values over time, made of the ordered items of each combination of tags and fields: the same on both engines.
import type { TimeBuckets } from '../../algebra/aggregation.ts'
import { cutsOf } from '../../druid-time/cuts.ts'
import type { Pacer } from '../../lib/pacer.ts'
import type { Value } from '../../model/column.ts'
import { type FieldType, isNumericField } from '../../model/field.ts'
import { formatInstant } from '../../model/instant.ts'
import {
  type AggregateName,
  type AggregatePlan,
  emptyValue,
  type OverTimePlan,
  outputFields,
  type PlanLimits,
  type PlotPlan,
  type Range,
  type StatesPlan,
  valueColumns,
} from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import { tooManyHeld } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { BucketAggregates } from './bucket-aggregates.ts'
import { type BucketRow, BucketRows } from './bucket-rows.ts'
import { BucketStates } from './bucket-states.ts'
import { filledBuckets } from './fill-buckets.ts'
import { FunctionOfTime, type ItemOfMetric, type ItemRollup, type KeptItems, type Window } from './function-of-time.ts'
import { GoodShares } from './good-shares.ts'
import { digitsAt, type ItemRun } from './item-run.ts'
import { type PlottedItem, PlottedItems, PlottedMetric } from './plotted-items.ts'
import { SnappedValues } from './snapped-values.ts'

/** Which items, besides those in the window, tell what happens in it. */
export interface NeededItems {
  /** Dates of the first and last one. */
  readonly window: Window
  /** The newest one before it of each metric. */
  readonly before: boolean
  /** The first one after it of each metric. */
  readonly after: boolean
  /** Whether the date of the first item of the selection has to be known, or that of the last one; null for neither. */
  readonly ends: { readonly first: boolean; readonly last: boolean } | null
}

export interface Ends {
  readonly firstMs: number
  readonly lastMs: number
}

export function neededItems(plan: OverTimePlan): NeededItems {
  if (plan.kind === 'plot') {
    const { fromMs, toMs } = plan.range
    const [first, last] = [fromMs === Number.NEGATIVE_INFINITY, toMs === Number.POSITIVE_INFINITY]
    const ends = first || last ? { first, last } : null
    return { window: { fromMs, endMs: toMs }, before: false, after: false, ends }
  }
  if (plan.kind === 'snap') {
    const window = { fromMs: plan.ticksMs[0] ?? 0, endMs: plan.ticksMs.at(-1) ?? -1 }
    // Later than now a value is known only up to an item behind it.
    const after = hasLine(plan) || window.endMs > plan.values.nowMs
    return { window, before: true, after, ends: null }
  }
  const { fromMs, toMs } = plan.range
  const window = { fromMs, endMs: Math.min(toMs, plan.values.nowMs) }
  const after =
    plan.kind === 'aggregate' &&
    (hasLine(plan) || plan.columns.some(({ aggregate }) => aggregate === 'rise' || aggregate === 'resets'))
  const isOpen = plan.granularity.kind === 'all' && fromMs === Number.NEGATIVE_INFINITY
  const ends = isOpen ? { first: true, last: false } : null
  return { window, before: true, after, ends }
}

function hasLine({ values }: { readonly values: AggregatePlan['values'] }): boolean {
  return values.metrics.some(({ shape }) => shape === 'line') || values.shapeOfTag.some(([, shape]) => shape === 'line')
}

/** The items of one combination of tags and fields, in the order of time. */
export interface Series {
  add(run: ItemRun): void
  /** Whether it may take what several items say together. */
  readonly mayTakeRollups: boolean
  /** Whether what neighbouring items of each metric say together, null of a metric without any, is as good as they are. */
  takes(rollups: readonly (ItemRollup | null)[]): boolean
  /** Items that it takes. */
  addRollups(rollups: readonly (ItemRollup | null)[]): void
  /** Whether kept hours of the metrics, null of a metric of which there is nothing in the hour, say what is asked. */
  takesKept(hours: readonly (KeptItems | null)[]): boolean
  /** Hours that it takes. */
  addKept(hours: readonly (KeptItems | null)[]): void
  /** The first item of a metric behind the window, which counts in none of its buckets, and where the value before it ends; NaN where it does not. */
  addNext(metric: number, item: ItemOfMetric, endedMs: number): void
  /** Whether items that come later change nothing. */
  readonly isOver: boolean
  finish(): Promise<void>
}

/** Values of buckets and ticks that wait for the end of their function: about half a gigabyte. */
const heldValuesMax = 4_000_000

/** Shorter parts of a plot have borders in so many hours that reading all rows is as fast. */
const rolledUpPartMsMin = 4 * 3_600_000

export class OverTimeAnswer {
  readonly #plan: OverTimePlan
  readonly #buckets: TimeBuckets | null
  readonly #limits: PlanLimits
  readonly #pacer: Pacer
  readonly #window: Window
  readonly #ends: Ends | null
  readonly #rows: AnswerRows
  readonly #shapeOfTag: ReadonlyMap<string, 'line' | 'step'>
  readonly #columns: readonly (readonly MetricColumn[])[]
  #held = 0

  /** `ends` are those of the selection, where they are needed. */
  constructor(
    plan: OverTimePlan,
    parts: { readonly buckets: TimeBuckets | null; readonly limits: PlanLimits; readonly pacer: Pacer },
    ends: Ends | null,
  ) {
    this.#plan = plan
    this.#buckets = parts.buckets
    this.#limits = parts.limits
    this.#pacer = parts.pacer
    this.#window = neededItems(plan).window
    this.#columns = columnsByMetric(plan)
    this.#ends = ends
    this.#shapeOfTag = new Map(plan.kind === 'plot' ? [] : plan.values.shapeOfTag)
    const position = plan.kind === 'plot' ? (['long'] as const) : []
    this.#rows = new AnswerRows([...outputFields(plan).map(({ type }) => type), ...position], this.#limits)
  }

  /** The items of another combination of tags and fields, which is `keys`. */
  series(keys: readonly Value[]): Series {
    const plan = this.#plan
    switch (plan.kind) {
      case 'plot':
        return this.#plotted(plan, keys)
      case 'snap':
        return this.#snapped(plan, keys)
      default:
        return this.#bucketed(plan, keys)
    }
  }

  async *batches(): AsyncGenerator<ResultBatch> {
    const plan = this.#plan
    if (plan.kind !== 'aggregate' && plan.kind !== 'states') {
      yield* this.#inOrder()
      return
    }
    yield* filledBuckets(this.#inOrder(), plan, { buckets: this.#buckets, limits: this.#limits, pacer: this.#pacer })
  }

  /** By the columns that are no values; of a snap the tick comes first, and of a plot the position last. */
  async *#inOrder(): AsyncGenerator<ResultBatch> {
    const plan = this.#plan
    const columns = outputFields(plan).length
    const { tags, fields } = plan.selection
    const keys = Array.from(
      { length: 1 + tags.length + fields.length + (plan.kind === 'states' ? 2 : 0) },
      (_, at) => at,
    )
    const first = plan.kind === 'snap' ? [columns - 1] : []
    const last = plan.kind === 'plot' ? [columns] : []
    const ordered = plan.kind === 'snap' ? keys.slice(1) : keys
    const order = await this.#rows.inOrderOf([...first, ...ordered, ...last], this.#pacer)
    yield* this.#rows.batches(order, columns, this.#pacer)
  }

  /** Counts values that are held. Throws Problem `result_too_large` beyond what fits into memory. */
  readonly #hold = (values: number): void => {
    this.#held += values
    if (this.#held > heldValuesMax) throw tooManyHeld(heldValuesMax)
  }

  #shapeOf(metric: number, keys: readonly Value[]): 'line' | 'step' {
    const { values } = this.#plan as Exclude<OverTimePlan, { kind: 'plot' }>
    const [tag] = keys
    const own = typeof tag === 'string' ? this.#shapeOfTag.get(tag) : undefined
    return own ?? values.metrics[metric].shape
  }

  #bucketed(plan: AggregatePlan | StatesPlan, keys: readonly Value[]): Series {
    const { metrics } = plan.selection
    const cuts = cutsOf(plan.granularity, this.#buckets, startOfAll(plan, this.#ends))
    const texts = metrics.map((): Texts => new Texts())
    const rows = metrics.map((_, metric) => {
      const visitor =
        plan.kind === 'states'
          ? new BucketStates(texts[metric].all)
          : new BucketAggregates({
              aggregates: this.#columns[metric].map(({ aggregate }) => aggregate),
              isStep: this.#shapeOf(metric, keys) === 'step',
              totalUnitMs: plan.totalUnitMs,
              counter: plan.counter,
            })
      return new BucketRows(cuts, this.#window, this.#limits.buckets, visitor, this.#hold)
    })
    const functions = metrics.map((_, metric) => {
      const shape = plan.kind === 'states' ? 'step' : this.#shapeOf(metric, keys)
      const reading = { ...plan.values.metrics[metric], shape }
      return new FunctionOfTime(reading, plan.values.nowMs, this.#window, rows[metric])
    })
    const read = metrics.map(({ type }, metric) => {
      const isText = plan.kind === 'states'
      return (run: ItemRun) =>
        isText
          ? addTexts(run, metric, { type, texts: texts[metric] }, functions[metric])
          : addNumbers(run, metric, functions[metric])
    })
    const shares = this.#columns.some((ofMetric) => ofMetric.some(({ aggregate }) => aggregate === 'good'))
      ? metrics.map(() => new GoodShares(cuts, this.#window, this.#limits.buckets))
      : null
    const finish = async (): Promise<void> => {
      for (const [metric, one] of functions.entries()) {
        one.finish()
        rows[metric].finish()
        if (this.#pacer.spend(16 * rows[metric].rows.length)) await this.#pacer.rest()
      }
      const held = rows.map((one, metric) => this.#withShares(one.rows, metric, shares))
      await this.#rows.addAll(
        plan.kind === 'states' ? statesRows(plan, keys, held) : aggregateRows(plan, keys, held, this.#columns),
        this.#pacer,
      )
      for (const one of held) for (const { values } of one) this.#hold(-values.length)
    }
    return seriesOf(functions, { read, finish, mayTakeRollups: plan.kind === 'aggregate', shares })
  }

  #withShares(rows: readonly BucketRow[], metric: number, shares: readonly GoodShares[] | null): readonly BucketRow[] {
    if (shares === null) return rows
    const columns = this.#columns[metric]
    const place = columns.findIndex(({ aggregate }) => aggregate === 'good')
    const nothing = columns.map(({ empty }) => empty)
    const told = shares[metric].into(rows, place, nothing)
    this.#hold((told.length - rows.length) * columns.length)
    return told
  }

  #snapped(plan: OverTimePlan & { kind: 'snap' }, keys: readonly Value[]): Series {
    const { metrics } = plan.selection
    const texts = metrics.map((): Texts => new Texts())
    const isStep = metrics.map((field, metric) => !isNumericField(field) || this.#shapeOf(metric, keys) === 'step')
    this.#hold(plan.ticksMs.length * metrics.length)
    const snapped = metrics.map(() => new SnappedValues(plan.ticksMs))
    const functions = metrics.map((_, metric) => {
      const reading = { ...plan.values.metrics[metric], shape: isStep[metric] ? ('step' as const) : ('line' as const) }
      return new FunctionOfTime(reading, plan.values.nowMs, this.#window, snapped[metric])
    })
    const read = metrics.map((field, metric) => (run: ItemRun) => {
      if (isNumericField(field)) addNumbers(run, metric, functions[metric])
      else addTexts(run, metric, { type: field.type, texts: texts[metric] }, functions[metric])
    })
    const finish = async (): Promise<void> => {
      for (const one of functions) one.finish()
      await this.#rows.addAll(ticked(), this.#pacer)
      this.#hold(-plan.ticksMs.length * metrics.length)
    }
    const ticked = function* (): Generator<Value[]> {
      for (const [tick, tickMs] of plan.ticksMs.entries()) {
        let dateMs = Number.NaN
        for (const { datesMs } of snapped)
          if (!(datesMs[tick] <= dateMs)) dateMs = Number.isNaN(datesMs[tick]) ? dateMs : datesMs[tick]
        if (Number.isNaN(dateMs)) continue
        const values = snapped.map(({ values, exact }, metric) => {
          if (Number.isNaN(values[tick])) return null
          if (isNumericField(metrics[metric])) return exact.get(tick) ?? values[tick]
          return texts[metric].values[values[tick]]
        })
        yield [dateMs, ...keys, ...values, tickMs]
      }
    }
    return seriesOf(functions, { read, finish, mayTakeRollups: false, shares: null })
  }

  #plotted(plan: OverTimePlan & { kind: 'plot' }, keys: readonly Value[]): Series {
    const { metrics } = plan.selection
    const parts = { points: plan.points, ...plottedRange(plan, this.#ends) }
    const plotted = new PlottedItems(this.#limits.resultRows)
    const all = metrics.map(
      (field, metric) => new PlottedMetric(metric, metrics.length, isNumericField(field), parts, plotted),
    )
    // Of several metrics the items show the others too.
    const isOfOne = metrics.length === 1 && isNumericField(metrics[0]) && plan.selection.fields.length === 0
    return {
      isOver: false,
      mayTakeRollups: isOfOne && parts.toMs - parts.fromMs >= parts.points * rolledUpPartMsMin,
      add: (run) => {
        for (const part of takenParts(run)) for (const one of all) one.add(part)
      },
      finish: async () => {
        for (const one of all) one.finish()
        await this.#rows.addAll(plottedRows(plotted, keys), this.#pacer)
      },
      ...rollupsTo(all),
      takesKept: (hours) => hours.every((hour, metric) => !hour?.rollup || all[metric].takesKept(hour.rollup)),
      addKept: (hours) => {
        for (const [metric, hour] of hours.entries()) if (hour?.rollup) all[metric].addKept(hour.rollup)
      },
      addNext: () => undefined,
    }
  }
}

/** Open ends are those of the selection. */
export function plottedRange({ range: { fromMs, toMs } }: PlotPlan, ends: Ends | null): Range {
  return {
    fromMs: fromMs === Number.NEGATIVE_INFINITY ? (ends?.firstMs ?? 0) : fromMs,
    toMs: toMs === Number.POSITIVE_INFINITY ? (ends?.lastMs ?? 0) : toMs,
  }
}

/** The one bucket of `all` begins with the range, or with the first item. */
function startOfAll({ range }: AggregatePlan | StatesPlan, ends: Ends | null): number {
  return range.fromMs === Number.NEGATIVE_INFINITY ? (ends?.firstMs ?? range.fromMs) : range.fromMs
}

function seriesOf(
  functions: readonly FunctionOfTime[],
  {
    read,
    finish,
    mayTakeRollups,
    shares,
  }: Pick<Series, 'finish' | 'mayTakeRollups'> & {
    readonly read: readonly ((run: ItemRun) => void)[]
    readonly shares: readonly GoodShares[] | null
  },
): Series {
  const rollups = rollupsTo(functions)
  return {
    mayTakeRollups,
    get isOver(): boolean {
      return functions.every((one) => one.isOver)
    },
    add: (run) => {
      for (const part of takenParts(run, functions)) for (const one of read) one(part)
      if (shares !== null) addShares(run, shares)
      // Later runs hold later dates, or items of this one, which count in no window that ended before it.
      if (run.end > run.start) for (const one of functions) one.pass(run.times[run.end - 1])
    },
    finish,
    takes: rollups.takes,
    takesKept: (hours) => hours.every((hour, metric) => hour === null || functions[metric].takesKept(hour)),
    addKept: (hours) => {
      for (const [metric, hour] of hours.entries()) {
        if (hour === null) continue
        functions[metric].addKept(hour)
        if (hour.rollup !== null) shares?.[metric].addRollup(hour.rollup)
      }
    },
    addNext: (metric, item, endedMs) => functions[metric].addNext(item, endedMs),
    addRollups: (all) => {
      rollups.addRollups(all)
      for (const [metric, rollup] of all.entries()) if (rollup !== null) shares?.[metric].addRollup(rollup)
    },
  }
}

/** The rows that are taken. Others are told, in their turn, to the functions of the metrics that they have a value of. */
function* takenParts(run: ItemRun, functions: readonly FunctionOfTime[] = []): Generator<ItemRun> {
  const { quality, end } = run
  if (quality === null) {
    yield run
    return
  }
  for (let row = run.start; row < end; row++) {
    const start = row
    while (row < end && quality.isTaken(row)) row++
    if (row > start) yield run.part(start, row)
    if (row === end) return
    for (const [metric, one] of functions.entries()) if (run.value(metric, row) !== null) one.end(run.times[row])
  }
}

function addShares(run: ItemRun, shares: readonly GoodShares[]): void {
  for (let row = run.start; row < run.end; row++) {
    const isGood = run.quality === null || run.quality.isGood(row)
    for (const [metric, one] of shares.entries()) if (run.value(metric, row) !== null) one.add(run.times[row], isGood)
  }
}

/** What items say together goes to each metric by itself. */
function rollupsTo(
  metrics: readonly Pick<FunctionOfTime, 'takes' | 'addRollup'>[],
): Pick<Series, 'takes' | 'addRollups'> {
  return {
    takes: (rollups) => rollups.every((rollup, metric) => rollup === null || metrics[metric].takes(rollup)),
    addRollups: (rollups) => {
      for (const [metric, rollup] of rollups.entries()) if (rollup !== null) metrics[metric].addRollup(rollup)
    },
  }
}

interface MetricTexts {
  readonly type: FieldType
  readonly texts: Texts
}

/** The values of a metric as numbers: their places in the order in which they came. */
class Texts {
  readonly all: string[] = []
  readonly values: Value[] = []
  readonly #places = new Map<Value, number>()

  placeOf(value: Value, text: string): number {
    const known = this.#places.get(value)
    if (known !== undefined) return known
    this.values.push(value)
    const place = this.all.push(text) - 1
    this.#places.set(value, place)
    return place
  }
}

function addNumbers(run: ItemRun, metric: number, to: FunctionOfTime): void {
  const values = run.numbers(metric)
  if (values === null) return
  const { times, start, end } = run
  for (let row = start; row < end; row++) {
    const value = values[row]
    if (Number.isNaN(value)) continue
    to.add(times[row], value, digitsAt(run, metric, row, value))
  }
}

function addTexts(run: ItemRun, metric: number, { type, texts }: MetricTexts, to: FunctionOfTime): void {
  for (let row = run.start; row < run.end; row++) {
    const value = run.value(metric, row)
    if (value !== null) to.add(run.times[row], texts.placeOf(value, textOf(value, type)))
  }
}

/** As JSON writes it, without the quotes of a text or an instant. */
function textOf(value: Value, type: FieldType): string {
  if (type === 'timestamp') return formatInstant(Number(value))
  return typeof value === 'string' ? value : value === 0 ? '0' : String(value)
}

function* plottedRows(items: Iterable<PlottedItem>, keys: readonly Value[]): Generator<Value[]> {
  for (const { ms, values, position } of items) yield [ms, ...keys, ...values, position]
}

function* statesRows(
  { selection }: StatesPlan,
  keys: readonly Value[],
  held: readonly (readonly BucketRow[])[],
): Generator<Value[]> {
  for (const [metric, rows] of held.entries()) {
    for (const { startMs, values } of rows) {
      for (let state = 0; state < values.length; state += 3)
        yield [startMs, ...keys, selection.metrics[metric].name, ...values.slice(state, state + 3)]
    }
  }
}

interface MetricColumn {
  readonly aggregate: AggregateName
  /** What it shows where the metric has nothing in a bucket. */
  readonly empty: Value
}

/** The columns of each metric of an aggregate, in their order. */
function columnsByMetric(plan: OverTimePlan): readonly (readonly MetricColumn[])[] {
  const columns = plan.selection.metrics.map((): MetricColumn[] => [])
  if (plan.kind !== 'aggregate') return columns
  const empty = valueColumns(plan).map(emptyValue)
  for (const [place, { metric, aggregate }] of plan.columns.entries())
    columns[metric].push({ aggregate, empty: empty[place] })
  return columns
}

/** The rows of all metrics, one for each bucket that has any. */
function* aggregateRows(
  plan: AggregatePlan,
  keys: readonly Value[],
  held: readonly (readonly BucketRow[])[],
  columns: readonly (readonly MetricColumn[])[],
): Generator<Value[]> {
  const nothing = columns.map((ofMetric) => ofMetric.map(({ empty }) => empty))
  const next = held.map(() => 0)
  for (;;) {
    const startMs = held.reduce(
      (ms, one, metric) => Math.min(ms, one[next[metric]]?.startMs ?? ms),
      Number.POSITIVE_INFINITY,
    )
    if (startMs === Number.POSITIVE_INFINITY) return
    const row: Value[] = [startMs, ...keys]
    let hasRow = false
    for (const [metric, one] of held.entries()) {
      const bucket = one[next[metric]]
      const isHere = bucket?.startMs === startMs
      row.push(...(isHere ? bucket.values : nothing[metric]))
      if (!isHere) continue
      hasRow ||= bucket.isKnown || (bucket.hasItems && !plan.onlyKnown)
      next[metric]++
    }
    if (hasRow) yield row
  }
}
