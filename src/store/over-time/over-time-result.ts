// Builds the results of plans of values over time from the ordered items of each combination of tags and fields, on both engines.
import type { TimeBuckets } from '../../algebra/aggregation.ts'
import { cutsOf } from '../../druid-time/cuts.ts'
import type { Pacer } from '../../lib/pacer.ts'
import type { Value } from '../../model/column.ts'
import { isNumericField } from '../../model/field.ts'
import {
  type AggregateName,
  type AggregatePlan,
  emptyValue,
  type OverTimePlan,
  outputFields,
  type PlanLimits,
  type StatesPlan,
  valueColumns,
} from '../../model/plan.ts'
import { AnswerRows } from '../answer-rows.ts'
import { tooManyBuffered } from '../limits.ts'
import type { ResultBatch } from '../series-store.ts'
import { BucketAggregates } from './bucket-aggregates.ts'
import { type BucketRow, BucketRows } from './bucket-rows.ts'
import { BucketStates } from './bucket-states.ts'
import { filledBuckets } from './fill-buckets.ts'
import { FunctionOfTime, type Window } from './function-of-time.ts'
import { GoodShares } from './good-shares.ts'
import type { ItemRun } from './item-run.ts'
import { addNumbers, addTexts, rollupsTo, type Series, seriesOf, Texts, takenParts } from './item-series.ts'
import { type Ends, neededItems, plottedRange } from './needed-items.ts'
import { type PlottedItem, PlottedItems, PlottedMetric } from './plotted-items.ts'
import { SnappedValues } from './snapped-values.ts'

/** The most values of buckets and ticks that are held until their function is complete: about half a gigabyte. */
const heldValuesMax = 4_000_000

/** The borders of shorter parts of a plot lie in so many hours that reading all rows is as fast. */
const rolledUpPartMsMin = 4 * 3_600_000

export class OverTimeResult {
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

  /** `ends` are the dates of the first and the last item of the selection, if they are needed. */
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

  /** Starts another combination of tags and fields. `keys` are its values. */
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

  /** Orders rows by the columns that are not values. For a snap the tick comes first, for a plot the position last. */
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

  /** Counts held values. Throws Problem `result_too_large` beyond what fits into memory. */
  readonly #hold = (values: number): void => {
    this.#held += values
    if (this.#held > heldValuesMax) throw tooManyBuffered(heldValuesMax)
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
    return seriesOf(functions, { read, finish, acceptsRollups: plan.kind === 'aggregate', shares })
  }

  #withShares(rows: readonly BucketRow[], metric: number, shares: readonly GoodShares[] | null): readonly BucketRow[] {
    if (shares === null) return rows
    const columns = this.#columns[metric]
    const place = columns.findIndex(({ aggregate }) => aggregate === 'good')
    const nothing = columns.map(({ empty }) => empty)
    const withShares = shares[metric].into(rows, place, nothing)
    this.#hold((withShares.length - rows.length) * columns.length)
    return withShares
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
    return seriesOf(functions, { read, finish, acceptsRollups: false, shares: null })
  }

  #plotted(plan: OverTimePlan & { kind: 'plot' }, keys: readonly Value[]): Series {
    const { metrics } = plan.selection
    const parts = { points: plan.points, ...plottedRange(plan, this.#ends) }
    const plotted = new PlottedItems(this.#limits.resultRows)
    const all = metrics.map(
      (field, metric) => new PlottedMetric(metric, metrics.length, isNumericField(field), parts, plotted),
    )
    // With several metrics, each item shows the others too.
    const isOfOne = metrics.length === 1 && isNumericField(metrics[0]) && plan.selection.fields.length === 0
    return {
      isOver: false,
      acceptsRollups: isOfOne && parts.toMs - parts.fromMs >= parts.points * rolledUpPartMsMin,
      add: (run) => {
        for (const part of takenParts(run)) for (const one of all) one.add(part)
      },
      finish: async () => {
        for (const one of all) one.finish()
        await this.#rows.addAll(plottedRows(plotted, keys), this.#pacer)
      },
      ...rollupsTo(all),
      canAddKept: (hours) => hours.every((hour, metric) => !hour?.rollup || all[metric].canAddKept(hour.rollup)),
      addKept: (hours) => {
        for (const [metric, hour] of hours.entries()) if (hour?.rollup) all[metric].addKept(hour.rollup)
      },
      addNext: () => undefined,
    }
  }
}

/** The single bucket of `all` starts with the range, or with the first item. */
function startOfAll({ range }: AggregatePlan | StatesPlan, ends: Ends | null): number {
  return range.fromMs === Number.NEGATIVE_INFINITY ? (ends?.firstMs ?? range.fromMs) : range.fromMs
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
  /** The value for a bucket in which the metric has nothing. */
  readonly empty: Value
}

/** The columns of each metric of an aggregate plan, in order. */
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
