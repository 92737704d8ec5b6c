// The expected results of plans of values over time by the contract's definitions, in fractions. Each bucket, part and tick scans all items again.
import type { Value } from '../../src/model/column.ts'
import { addDuration } from '../../src/model/duration.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { isNumericField } from '../../src/model/field.ts'
import { formatInstant } from '../../src/model/instant.ts'
import type {
  AggregateName,
  AggregatePlan,
  OverTimePlan,
  PlotPlan,
  Range,
  SnapPlan,
  StatesPlan,
} from '../../src/model/plan.ts'
import { Fraction } from './fraction.ts'

/** An item of all metrics. */
export interface ModelItem {
  readonly ms: number
  readonly position: number
  readonly keys: readonly Value[]
  readonly values: readonly Value[]
  /** The values shown before those of the metrics. */
  readonly shown: readonly Value[]
  readonly isTaken: boolean
  readonly isGood: boolean
}

/** The bounds of buckets. */
export interface ModelCuts {
  startOf(ms: number): number
  after(startMs: number): number
}

export type ModelRow = readonly Value[]

export function overTimeRows(plan: OverTimePlan, items: readonly ModelItem[], cuts: ModelCuts): ModelRow[] {
  const functions = new Map<string, ModelItem[]>()
  for (const item of items) {
    // A long is a number or a bigint, depending on how it was pushed.
    const key = item.keys.map((value) => `${typeof value === 'string'} ${value === 0 ? 0 : value}`).join('\n')
    functions.set(key, [...(functions.get(key) ?? []), item])
  }
  const taken = items.filter(({ isTaken }) => isTaken).map(({ ms }) => ms)
  const ends = { fromMs: Math.min(...taken), toMs: Math.max(...taken) }
  return [...functions.values()].flatMap((own) => rowsOf(plan, own, cuts, ends))
}

function rowsOf(plan: OverTimePlan, items: readonly ModelItem[], cuts: ModelCuts, ends: Range): ModelRow[] {
  switch (plan.kind) {
    case 'aggregate':
      return aggregates(plan, items, cuts, ends)
    case 'states':
      return states(plan, items, cuts, ends)
    case 'plot':
      return plotted(plan, items, ends)
    default:
      return snapped(plan, items)
  }
}

interface Point {
  readonly ms: number
  readonly value: Value
  readonly item: ModelItem
}

/** The items of a metric: the last one at each date. */
function pointsOf(items: readonly ModelItem[], metric: number): Point[] {
  return newestOf(
    items.filter(({ isTaken }) => isTaken),
    metric,
  )
}

/** Dates whose newest item is not taken. */
function endsOf(items: readonly ModelItem[], metric: number): number[] {
  return newestOf(items, metric)
    .filter(({ item }) => !item.isTaken)
    .map(({ ms }) => ms)
}

function newestOf(items: readonly ModelItem[], metric: number): Point[] {
  const known = items.filter(({ values }) => values[metric] !== null)
  const last = (item: ModelItem): boolean =>
    !known.some((other) => other.ms === item.ms && other.position > item.position)
  return known
    .filter(last)
    .map((item) => ({ ms: item.ms, value: item.values[metric]!, item }))
    .sort((left, right) => left.ms - right.ms)
}

interface Known {
  readonly fromMs: number
  readonly untilMs: number
  readonly from: Point
  readonly to: Point | null
  /** Whether an item that is not taken ends the part. */
  readonly isEnded?: true
}

function knownParts(
  plan: Exclude<OverTimePlan, PlotPlan>,
  points: readonly Point[],
  ended: readonly number[],
  metric: number,
  tag: Value,
): Known[] {
  const { values } = plan
  const own = values.shapeOfTag.find(([name]) => name === tag)?.[1]
  const isText = !isNumericField(plan.selection.metrics[metric]!)
  const isStep = plan.kind === 'states' || isText || (own ?? values.metrics[metric]!.shape) === 'step'
  const { maxGap } = values.metrics[metric]!
  return points.map((from, index) => {
    const to = points[index + 1] ?? null
    const gapEndMs = maxGap === null ? Number.POSITIVE_INFINITY : addDuration(from.ms, maxGap, 1)
    const endedMs = ended.find((ms) => ms >= from.ms && (to === null || ms < to.ms))
    const heldMs = to?.ms ?? Math.max(from.ms, values.nowMs)
    if (endedMs !== undefined && endedMs <= Math.min(heldMs, Math.max(from.ms, gapEndMs))) {
      return { fromMs: from.ms, untilMs: endedMs, from, to: null, isEnded: true }
    }
    // With linear interpolation too, the value is valid for as long as it is known.
    if (endedMs !== undefined && to !== null) return { fromMs: from.ms, untilMs: gapEndMs, from, to: null }
    if (to === null) return { fromMs: from.ms, untilMs: Math.max(from.ms, Math.min(values.nowMs, gapEndMs)), from, to }
    if (isStep) return { fromMs: from.ms, untilMs: Math.min(to.ms, gapEndMs), from, to: null }
    return { fromMs: from.ms, untilMs: to.ms <= gapEndMs ? to.ms : from.ms, from, to }
  })
}

const number = (value: Value): Fraction => Fraction.of(typeof value === 'bigint' ? value : Number(value))

function valueAt({ from, to }: Known, ms: number): Fraction {
  if (to === null) return number(from.value)
  const share = new Fraction(BigInt(ms - from.ms), BigInt(to.ms - from.ms))
  return number(from.value).plus(number(to.value).minus(number(from.value)).times(share))
}

interface Bucket {
  /** The end of the bucket by the clock, even where the range ends earlier. */
  readonly nextMs: number
  readonly startMs: number
  readonly fromMs: number
  readonly untilMs: number
}

function bucketsOf(
  plan: AggregatePlan | StatesPlan,
  items: readonly ModelItem[],
  cuts: ModelCuts,
  ends: Range,
): Bucket[] {
  const { range, granularity, values } = plan
  const endMs = Math.min(range.toMs, values.nowMs)
  const isOpen = range.fromMs === Number.NEGATIVE_INFINITY
  if (granularity.kind === 'all') {
    const startMs = isOpen ? ends.fromMs : range.fromMs
    return startMs < endMs ? [{ startMs, nextMs: Number.POSITIVE_INFINITY, fromMs: startMs, untilMs: endMs }] : []
  }
  const firstMs = Math.min(...items.map(({ ms }) => ms))
  const buckets: Bucket[] = []
  let startMs = cuts.startOf(Math.max(firstMs, range.fromMs))
  for (; startMs < endMs; startMs = cuts.after(startMs)) {
    const nextMs = cuts.after(startMs)
    const bucket = { startMs, fromMs: Math.max(startMs, range.fromMs), untilMs: Math.min(nextMs, endMs), nextMs }
    if (bucket.fromMs < bucket.untilMs) buckets.push(bucket)
  }
  return buckets
}

/** The points in a bucket. An item at the end of the whole range belongs to the last bucket. */
function within(points: readonly Point[], { fromMs, untilMs, nextMs }: Bucket, endMs: number): Point[] {
  return points.filter(({ ms }) => ms >= fromMs && (ms < untilMs || (ms === endMs && ms < nextMs)))
}

function aggregates(plan: AggregatePlan, items: readonly ModelItem[], cuts: ModelCuts, ends: Range): ModelRow[] {
  const { metrics } = plan.selection
  const { keys } = items[0]!
  const endMs = Math.min(plan.range.toMs, plan.values.nowMs)
  const ofMetric = metrics.map((_, metric) => {
    const points = pointsOf(items, metric)
    const all = newestOf(items, metric)
    return { points, all, known: knownParts(plan, points, endsOf(items, metric), metric, keys[0] ?? null) }
  })
  return bucketsOf(plan, items, cuts, ends).flatMap((bucket) => {
    const told = ofMetric.map((one) => new BucketValues(plan, one, bucket, endMs))
    const isKnown = told.some(({ knownMs }) => knownMs > 0)
    const asksGood = plan.columns.some(({ aggregate }) => aggregate === 'good')
    const isThere = isKnown || told.some(({ items, all }) => items.length > 0 || (asksGood && all.length > 0))
    if (!isThere || (plan.onlyKnown && !isKnown)) return []
    return [[bucket.startMs, ...keys, ...plan.columns.map(({ metric, aggregate }) => told[metric]!.value(aggregate))]]
  })
}

interface PointsOfMetric {
  readonly points: readonly Point[]
  readonly all: readonly Point[]
  readonly known: readonly Known[]
}

class BucketValues {
  readonly items: readonly Point[]
  /** The items, including those that are not taken. */
  readonly all: readonly Point[]
  readonly knownMs: number
  readonly hasRise: boolean
  readonly #plan: AggregatePlan
  readonly #points: readonly Point[]
  readonly #known: readonly Known[]
  readonly #bucket: Bucket

  constructor(plan: AggregatePlan, { points, all, known }: PointsOfMetric, bucket: Bucket, endMs: number) {
    this.#plan = plan
    this.#points = points
    this.#bucket = bucket
    this.items = within(points, bucket, endMs)
    this.all = within(all, bucket, endMs)
    this.#known = known
      .map((one) => ({
        ...one,
        fromMs: Math.max(one.fromMs, bucket.fromMs),
        untilMs: Math.min(one.untilMs, bucket.untilMs),
      }))
      .filter(({ fromMs, untilMs }) => fromMs < untilMs)
    this.knownMs = this.#known.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0)
    this.hasRise = points.slice(1).some((to, index) => to.ms > bucket.fromMs && points[index]!.ms < bucket.untilMs)
  }

  /** Null where the value exceeds the range of doubles. */
  value(name: AggregateName): Value {
    const value = this.#value(name)
    return typeof value !== 'number' || Number.isFinite(value) ? value : null
  }

  #value(name: AggregateName): Value {
    const numbers = this.items.map(({ value }) => number(value))
    const sum = numbers.reduce((left, right) => left.plus(right), Fraction.zero)
    const count = Fraction.of(numbers.length)
    const isEmpty = numbers.length === 0
    switch (name) {
      case 'count':
        return numbers.length
      case 'good':
        return this.all.length === 0 ? null : this.all.filter(({ item }) => item.isGood).length / this.all.length
      case 'sum':
        return isEmpty ? null : sum.value
      case 'mean':
        return isEmpty ? null : sum.over(count).value
      case 'first':
        return this.items[0]?.value ?? null
      case 'last':
        return this.items.at(-1)?.value ?? null
      case 'min':
        return this.#extreme((one, other) => one.isLess(other))?.value ?? null
      case 'max':
        return this.#extreme((one, other) => other.isLess(one))?.value ?? null
      case 'min_time':
        return this.#extreme((one, other) => one.isLess(other))?.ms ?? null
      case 'max_time':
        return this.#extreme((one, other) => other.isLess(one))?.ms ?? null
      case 'stddev': {
        if (numbers.length < 2) return null
        const squares = numbers.map((one) => one.minus(sum.over(count))).map((one) => one.times(one))
        const variance = squares.reduce((left, right) => left.plus(right)).over(Fraction.of(numbers.length - 1))
        const small = variance.times(new Fraction(1n, 2n ** 1200n))
        return Number.isFinite(variance.value) ? Math.sqrt(variance.value) : Math.sqrt(small.value) * 2 ** 600
      }
      case 'covered':
        return new Fraction(BigInt(this.knownMs), BigInt(this.#bucket.untilMs - this.#bucket.fromMs)).value
      case 'time_mean':
        return this.knownMs === 0 ? null : this.#integral.over(Fraction.of(this.knownMs)).value
      case 'total':
        return this.knownMs === 0 ? null : this.#integral.over(Fraction.of(this.#plan.totalUnitMs)).value
      case 'rise':
        return this.hasRise ? this.#rise.value : null
      case 'resets':
        if (isEmpty && !this.hasRise) return null
        return this.items.filter((item) => {
          const before = this.#points[this.#points.indexOf(item) - 1]
          return before !== undefined && rise(before, item, this.#plan).isReset
        }).length
    }
  }

  #extreme(isBetter: (one: Fraction, other: Fraction) => boolean): Point | undefined {
    return this.items.find(
      ({ value }, index) =>
        !this.items.some((other) => isBetter(number(other.value), number(value))) &&
        !this.items.slice(0, index).some((other) => !isBetter(number(value), number(other.value))),
    )
  }

  /** The sum of a trapezium for each known part. */
  get #integral(): Fraction {
    return this.#known.reduce((sum, part) => {
      const mean = valueAt(part, part.fromMs).plus(valueAt(part, part.untilMs)).over(Fraction.of(2))
      return sum.plus(mean.times(Fraction.of(part.untilMs - part.fromMs)))
    }, Fraction.zero)
  }

  get #rise(): Fraction {
    return this.#points.slice(1).reduce((sum, to, index) => {
      const from = this.#points[index]!
      const lengthMs = Math.min(to.ms, this.#bucket.untilMs) - Math.max(from.ms, this.#bucket.fromMs)
      if (lengthMs <= 0) return sum
      return sum.plus(rise(from, to, this.#plan).rise.times(new Fraction(BigInt(lengthMs), BigInt(to.ms - from.ms))))
    }, Fraction.zero)
  }
}

function rise(from: Point, to: Point, { counter }: AggregatePlan): { rise: Fraction; isReset: boolean } {
  const difference = number(to.value).minus(number(from.value))
  if (!difference.isLess(Fraction.zero)) return { rise: difference, isReset: false }
  if (counter.wrap !== null && !difference.plus(number(counter.wrap)).isLess(Fraction.zero))
    return { rise: difference.plus(number(counter.wrap)), isReset: false }
  const fromZero = counter.reset === 'zero' && !number(to.value).isLess(Fraction.zero)
  return { rise: fromZero ? number(to.value) : Fraction.zero, isReset: true }
}

function states(plan: StatesPlan, items: readonly ModelItem[], cuts: ModelCuts, ends: Range): ModelRow[] {
  const { keys } = items[0]!
  const endMs = Math.min(plan.range.toMs, plan.values.nowMs)
  return bucketsOf(plan, items, cuts, ends).flatMap((bucket) =>
    plan.selection.metrics.flatMap((field, metric) => {
      const points = pointsOf(items, metric)
      const known = knownParts(plan, points, endsOf(items, metric), metric, keys[0] ?? null)
      const texts = points.map(({ value }) => textOf(value, field))
      return [...new Set(texts)].flatMap((text) => {
        const held = known.filter((_, index) => texts[index] === text)
        const parts = held.map(
          ({ fromMs, untilMs }) => Math.min(untilMs, bucket.untilMs) - Math.max(fromMs, bucket.fromMs),
        )
        const ms = parts.reduce((sum, part) => sum + Math.max(0, part), 0)
        const own = within(points, bucket, endMs).filter(({ value }) => textOf(value, field) === text)
        const entered = own.filter((item) => {
          const index = points.indexOf(item)
          return index === 0 || texts[index - 1] !== text || known[index - 1]!.untilMs < item.ms
        })
        return ms === 0 && own.length === 0
          ? []
          : [[bucket.startMs, ...keys, field.name, text, ms / 1000, entered.length]]
      })
    }),
  )
}

function textOf(value: Value, { type }: EntityField): string {
  if (type === 'timestamp') return formatInstant(Number(value))
  return typeof value === 'string' ? value : value === 0 ? '0' : String(value)
}

function plotted(plan: PlotPlan, items: readonly ModelItem[], ends: Range): ModelRow[] {
  const { metrics } = plan.selection
  const fromMs = Math.max(
    plan.range.fromMs,
    plan.range.fromMs === Number.NEGATIVE_INFINITY ? ends.fromMs : plan.range.fromMs,
  )
  const toMs = plan.range.toMs === Number.POSITIVE_INFINITY ? ends.toMs : plan.range.toMs
  const partOf = (ms: number): number => {
    const share = new Fraction(BigInt(ms - fromMs) * BigInt(plan.points), BigInt(Math.max(1, toMs - fromMs)))
    return Math.min(plan.points - 1, Number(share.numerator / share.denominator))
  }
  const chosen = new Set<ModelItem>()
  for (const [metric, field] of metrics.entries()) {
    const points = pointsOf(
      items.filter(({ ms }) => ms >= fromMs && ms <= toMs),
      metric,
    )
    if (!isNumericField(field)) {
      for (const [index, point] of points.entries())
        if (points[index - 1]?.value !== point.value) chosen.add(point.item)
      continue
    }
    for (const part of new Set(points.map(({ ms }) => partOf(ms)))) {
      const own = points.filter(({ ms }) => partOf(ms) === part)
      const order = (left: Point, right: Point): number =>
        number(left.value).isLess(number(right.value)) ? -1 : Number(number(right.value).isLess(number(left.value)))
      const byValue = own.toSorted(order)
      const greatest = own.find((point) => order(point, byValue.at(-1)!) === 0)
      for (const point of [own[0]!, own.at(-1)!, byValue[0]!, greatest!]) chosen.add(point.item)
    }
  }
  return [...chosen].map(({ ms, keys, shown, values, position }) => [ms, ...keys, ...shown, ...values, position])
}

function snapped(
  plan: SnapPlan & { readonly values: AggregatePlan['values'] },
  items: readonly ModelItem[],
): ModelRow[] {
  const { metrics } = plan.selection
  const { keys } = items[0]!
  return [...plan.ticksMs].flatMap((tickMs) => {
    let dateMs = Number.NEGATIVE_INFINITY
    const values = metrics.map((field, metric): Value => {
      const points = pointsOf(items, metric)
      const index = points.findLastIndex(({ ms }) => ms <= tickMs)
      if (index === -1) return null
      dateMs = Math.max(dateMs, points[index]!.ms)
      const part = knownParts(plan, points, endsOf(items, metric), metric, keys[0] ?? null)[index]!
      if (tickMs > part.untilMs || (part.isEnded && tickMs === part.untilMs)) return null
      return isNumericField(field) && part.to !== null ? valueAt(part, tickMs).value : points[index]!.value
    })
    return dateMs === Number.NEGATIVE_INFINITY ? [] : [[dateMs, ...keys, ...values, tickMs]]
  })
}
