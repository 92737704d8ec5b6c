// Computes the aggregates of one metric in each bucket, for one function of time.

import { lostIn } from '../../lib/lost-in-sum.ts'
import type { Value } from '../../model/column.ts'
import { type AggregateName, type Counter, needsSquares } from '../../model/plan.ts'
import type { BucketRow, BucketVisitor } from './bucket-rows.ts'
import { Deviations } from './deviations.ts'
import { boundsOf, type ItemOfMetric, type ItemRollup, isLess, type Span, valueAtInstant } from './function-of-time.ts'

export interface AggregateRules {
  readonly aggregates: readonly AggregateName[]
  readonly isStep: boolean
  readonly totalUnitMs: number
  readonly counter: Counter
}

export class BucketAggregates implements BucketVisitor {
  readonly #rules: AggregateRules
  /** The rise of a counter between two items is divided among buckets even where the value is not known. */
  readonly needsUnknown: boolean
  readonly #needsIntegral: boolean
  readonly #items: ItemSums
  readonly #integral = new ExactSum()
  readonly #rise = new ExactSum()
  #knownMs = 0
  #hasRise = false
  #isUncounted = false
  #resets = 0

  constructor(rules: AggregateRules) {
    const { aggregates } = rules
    this.#rules = rules
    this.#needsIntegral = aggregates.includes('time_mean') || aggregates.includes('total')
    this.#items = new ItemSums(aggregates)
    this.needsUnknown = aggregates.includes('rise') || aggregates.includes('resets')
  }

  item(item: ItemOfMetric, before: ItemOfMetric | null): void {
    this.#items.add(item)
    if (before !== null && this.needsUnknown && countedRise(before, item, this.#rules.counter).isReset) this.#resets++
  }

  part(span: Span, fromMs: number, untilMs: number): void {
    const knownUntilMs = Math.min(untilMs, span.knownUntilMs)
    if (knownUntilMs > fromMs) {
      this.#knownMs += knownUntilMs - fromMs
      if (this.#needsIntegral) this.#addIntegral(span, fromMs, knownUntilMs)
    }
    if (span.isUncounted === true) this.#isUncounted = true
    if (!this.needsUnknown || span.to === null) return
    const { rise } = countedRise(span.from, span.to, this.#rules.counter)
    const share = (untilMs - fromMs) / (span.to.ms - span.from.ms)
    for (const part of rise) this.#rise.add(part, share)
    this.#hasRise = true
  }

  #addIntegral(span: Span, fromMs: number, untilMs: number): void {
    const lengthMs = untilMs - fromMs
    if (span.holds) {
      this.#integral.add(span.from.value, lengthMs)
      return
    }
    // The mean of a line is the mean of its ends.
    this.#integral.add(valueAtInstant(span, fromMs), lengthMs / 2)
    this.#integral.add(valueAtInstant(span, untilMs), lengthMs / 2)
  }

  canAdd(rollup: ItemRollup, isOrdered: boolean): boolean {
    const { isStep, aggregates } = this.#rules
    if (!isOrdered) return !aggregates.some(needsSquares) && Number.isFinite(rollup.sum + rollup.lost)
    const needed = [
      rollup.sum + rollup.lost,
      this.#needsIntegral ? (isStep ? rollup.held : rollup.line) : 0,
      this.needsUnknown ? rollup.falls : 0,
      this.needsUnknown ? rollup.fallen + rollup.restarted : 0,
      aggregates.includes('min_time') ? rollup.leastMs : 0,
      aggregates.includes('max_time') ? rollup.greatestMs : 0,
      aggregates.some(needsSquares) ? rollup.squares : 0,
    ]
    const isCounted = !this.needsUnknown || this.#wrapped(rollup) !== null
    return isCounted && needed.every(Number.isFinite)
  }

  /** The number of falls that the counter's wrap explains; null where only the items can decide. */
  #wrapped({ falls, deepest }: ItemRollup): number | null {
    const { wrap } = this.#rules.counter
    if (wrap === null || falls === 0) return 0
    if (deepest === undefined) return null
    if (deepest <= wrap) return falls
    return falls === 1 ? 0 : null
  }

  rollup(rollup: ItemRollup, before: ItemOfMetric | null, isOrdered: boolean): void {
    const { first, last, held, line, knownMs } = rollup
    this.#items.addRollup(rollup, isOrdered)
    if (!isOrdered) {
      this.#isUncounted = true
      return
    }
    this.#knownMs += knownMs ?? last.ms - first.ms
    if (this.#needsIntegral) this.#integral.add(this.#rules.isStep ? held : line)
    if (!this.needsUnknown) return
    if (before !== null && countedRise(before, first, this.#rules.counter).isReset) this.#resets++
    const wrapped = this.#wrapped(rollup) ?? 0
    if (wrapped === 0) this.#resets += rollup.falls
    if (rollup.count === 1) return
    for (const part of [last.value, -first.value]) this.#rise.add(part)
    if (wrapped > 0) this.#rise.add(this.#rules.counter.wrap ?? 0, wrapped)
    else {
      this.#rise.add(rollup.fallen)
      this.#rise.add(this.#rules.counter.reset === 'zero' ? rollup.restarted : 0)
    }
    this.#hasRise = true
  }

  take(lengthMs: number): Omit<BucketRow, 'startMs'> | null {
    const isKnown = this.#knownMs > 0
    const hasItems = this.#items.count > 0
    if (!isKnown && !this.#hasRise && !hasItems) {
      this.#isUncounted = false
      return null
    }
    const values = this.#rules.aggregates.map((name) => this.#value(name, lengthMs))
    this.#clear()
    return { isKnown, hasItems, values }
  }

  #value(name: AggregateName, lengthMs: number): Value {
    switch (name) {
      case 'time_mean':
        return this.#knownMs === 0 ? null : this.#integral.over(this.#knownMs)
      case 'covered':
        return this.#knownMs / lengthMs
      case 'total':
        return this.#knownMs === 0 ? null : this.#integral.over(this.#rules.totalUnitMs)
      case 'rise':
        return this.#hasRise && !this.#isUncounted ? this.#rise.value : null
      case 'good':
        // Items that are not accepted count, too: `GoodShares` fills this in.
        return null
      case 'resets':
        if (this.#isUncounted) return null
        return this.#items.count > 0 || this.#hasRise ? this.#resets : null
      default:
        return this.#items.value(name)
    }
  }

  #clear(): void {
    this.#items.clear()
    this.#integral.clear()
    this.#rise.clear()
    this.#knownMs = 0
    this.#hasRise = false
    this.#isUncounted = false
    this.#resets = 0
  }
}

/** The rise of a counter between two neighbouring items, as parts to be added: their difference alone may overflow. */
export function countedRise(
  from: ItemOfMetric,
  to: ItemOfMetric,
  { reset, wrap }: Counter,
): { readonly rise: readonly number[]; readonly isReset: boolean } {
  const difference = differenceOf(from, to)
  if (!isLess(to, from)) return { rise: difference, isReset: false }
  if (wrap !== null) {
    const rise = [...difference, wrap]
    if (isNotNegative(rise)) return { rise, isReset: false }
  }
  return { rise: reset === 'zero' && to.value > 0 ? [to.value] : [], isReset: true }
}

/** Tests the exact sum: 4.8 - 14.8 is -10 in doubles, while these two doubles are more than 10 apart. */
function isNotNegative(parts: readonly number[]): boolean {
  const sum = new ExactSum()
  for (const part of parts) sum.add(part)
  // If the sum overflows, only its sign matters.
  return (sum.value ?? parts.reduce((all, part) => all + part)) >= 0
}

/** The difference as parts to be added. Longs beyond 2^53 are subtracted exactly. */
function differenceOf(from: ItemOfMetric, to: ItemOfMetric): readonly number[] {
  return from.exact === null && to.exact === null ? [to.value, -from.value] : [Number(digitsOf(to) - digitsOf(from))]
}

const digitsOf = ({ exact, value }: ItemOfMetric): bigint => exact ?? BigInt(value)

type ItemAggregate = Exclude<AggregateName, 'time_mean' | 'covered' | 'total' | 'rise' | 'resets' | 'good'>

const boundAggregates: ReadonlySet<AggregateName> = new Set(['min', 'max', 'min_time', 'max_time'])

class ItemSums {
  count = 0
  readonly #sum = new ExactSum()
  #first: ItemOfMetric | null = null
  #last: ItemOfMetric | null = null
  #least: ItemOfMetric | null = null
  #greatest: ItemOfMetric | null = null
  readonly #needsBounds: boolean
  readonly #needsSquares: boolean
  readonly #deviations = new Deviations()

  constructor(aggregates: readonly AggregateName[]) {
    this.#needsBounds = aggregates.some((name) => boundAggregates.has(name))
    this.#needsSquares = aggregates.some(needsSquares)
  }

  add(item: ItemOfMetric): void {
    this.count++
    this.#sum.add(item.value)
    this.#first ??= item
    this.#last = item
    if (this.#needsBounds) this.#addBounds(item, item)
    if (this.#needsSquares) this.#deviations.add(item.value, this.count)
  }

  /** Where the order of the items is not known, the dates of the bounds do not count for the function of time. */
  addRollup(rollup: ItemRollup, isOrdered: boolean): void {
    const { count, first, last, sum, lost } = rollup
    this.count += count
    this.#sum.add(sum)
    this.#sum.add(lost)
    this.#first ??= first
    this.#last = last
    if (this.#needsSquares) this.#deviations.addRollup(rollup, this.count)
    if (!this.#needsBounds) return
    const { least, greatest } = boundsOf(rollup)
    this.#addBounds(
      isOrdered ? least : { ...least, ms: Number.NaN },
      isOrdered ? greatest : { ...greatest, ms: Number.NaN },
    )
  }

  #addBounds(least: ItemOfMetric, greatest: ItemOfMetric): void {
    if (this.#least === null || isLess(least, this.#least)) this.#least = least
    if (this.#greatest === null || isLess(this.#greatest, greatest)) this.#greatest = greatest
  }

  value(name: ItemAggregate): Value {
    switch (name) {
      case 'count':
        return this.count
      case 'mean':
        return this.count === 0 ? null : this.#sum.over(this.count)
      case 'sum':
        return this.count === 0 ? null : this.#sum.value
      case 'min':
        return valueIn(this.#least)
      case 'max':
        return valueIn(this.#greatest)
      case 'first':
        return valueIn(this.#first)
      case 'last':
        return valueIn(this.#last)
      case 'min_time':
        return dateOf(this.#least)
      case 'max_time':
        return dateOf(this.#greatest)
      case 'stddev':
        return this.count < 2 ? null : this.#deviations.ofSample(this.count)
    }
  }

  clear(): void {
    this.count = 0
    this.#sum.clear()
    this.#first = null
    this.#last = null
    this.#least = null
    this.#greatest = null
    this.#deviations.clear()
  }
}

/** Null where the date is not known. */
const dateOf = (item: ItemOfMetric | null): Value => (item === null || Number.isNaN(item.ms) ? null : item.ms)

const valueIn = (item: ItemOfMetric | null): Value => item?.exact ?? item?.value ?? null

/** Parts are also added up times this factor, in case the sum overflows. It is a power of two, so that nothing is rounded. */
const scale = 2 ** -128

/** A sum that tracks the rounding error of each addition, and does not overflow while it grows. */
class ExactSum {
  #sum = 0
  #lost = 0
  #scaled = 0

  /** Adds `value` times `factor`; `factor` must be finite. */
  add(value: number, factor = 1): void {
    this.#scaled += value * scale * factor
    const part = value * factor
    const next = this.#sum + part
    this.#lost += lostIn(this.#sum, part, next)
    this.#sum = next
  }

  /** Null if it is beyond the largest double. */
  get value(): number | null {
    return this.over(1)
  }

  /** The sum divided by a number; null if that is beyond the largest double. */
  over(divisor: number): number | null {
    const sum = this.#sum + this.#lost
    const divided = Number.isFinite(sum) ? sum / divisor : this.#scaled / divisor / scale
    return Number.isFinite(divided) ? divided : null
  }

  clear(): void {
    this.#sum = 0
    this.#lost = 0
    this.#scaled = 0
  }
}
