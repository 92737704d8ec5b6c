// One metric of one combination of tags and fields as a function of time: its items determine the values between them.
import { addDuration, type Duration, fixedMs } from '../../model/duration.ts'
import type { MetricOverTime } from '../../model/plan.ts'

const msPerHour = 3_600_000

/** An item of one metric. `exact` is set for a long beyond 2^53. */
export interface ItemOfMetric {
  readonly ms: number
  readonly value: number
  readonly exact: bigint | null
}

/**
 * A summary of neighbouring items of one metric: at least one, each with a different date, and with no other item between them. NaN means
 * unknown.
 */
export interface ItemRollup {
  readonly count: number
  readonly first: ItemOfMetric
  readonly last: ItemOfMetric
  /** The longest time between two neighbours. */
  readonly longestGapMs: number
  readonly sum: number
  /** The rounding error of the sum. */
  readonly lost: number
  readonly least: number
  readonly greatest: number
  /** The dates of the first least and the first greatest value. */
  readonly leastMs: number
  readonly greatestMs: number
  /** The integral from the first to the last item, in value times milliseconds: if values hold, and if they follow the line. */
  readonly held: number
  readonly line: number
  /** The number of values that are less than the one before, the sum of these falls, and the sum of the positive values after a fall. */
  readonly falls: number
  readonly fallen: number
  readonly restarted: number
  /** The sum of the squared distances of the values from the first one. */
  readonly squares: number
  /** How long the value is known between the first and the last item; absent: all the time. */
  readonly knownMs?: number
  /** The deepest fall; absent if it is not known. */
  readonly deepest?: number
  /** The exact bounds where they are longs beyond 2^53. */
  readonly leastDigits?: bigint | null
  readonly greatestDigits?: bigint | null
}

/** The first least and the first greatest item. Their dates are NaN if they are not known. */
export function boundsOf(rollup: ItemRollup): { readonly least: ItemOfMetric; readonly greatest: ItemOfMetric } {
  return {
    least: { ms: rollup.leastMs, value: rollup.least, exact: rollup.leastDigits ?? null },
    greatest: { ms: rollup.greatestMs, value: rollup.greatest, exact: rollup.greatestDigits ?? null },
  }
}

/** A kept hour of one metric whose rows have expired. */
export interface KeptItems {
  readonly hourMs: number
  /** Null if the hour has no accepted item. */
  readonly rollup: ItemRollup | null
  /** If false, only the sum, count and bounds are known, with the first and the last item, and nothing about the time between items. */
  readonly isOrdered: boolean
  /** When items that are not accepted end the value from before the hour, and that of its last item; NaN if none does. */
  readonly endedMs: number
  readonly endMs: number
}

/** Whether `left` is less than `right`. Longs beyond 2^53 are compared exactly. */
export function isLess(left: Omit<ItemOfMetric, 'ms'>, right: Omit<ItemOfMetric, 'ms'>): boolean {
  if (left.value !== right.value || left.exact === null || right.exact === null) return left.value < right.value
  return left.exact < right.exact
}

/** The time from an item to the next one, or to the end of its value. */
export interface Span {
  readonly from: ItemOfMetric
  /** Null after the last item. */
  readonly to: ItemOfMetric | null
  /** The end of the span: the next item, or where the last item's value ends. */
  readonly endMs: number
  /** The value is known from the start of the span until this date. */
  readonly knownUntilMs: number
  /** Whether it is also known at that date. It is not if an item that is not accepted ends it. */
  readonly isKnownAtEnd: boolean
  /** Whether the value holds instead of following the line to the next item. */
  readonly holds: boolean
  /** Whether the span may contain unknown items, so that the changes of a counter are unknown. */
  readonly isUncounted?: boolean
}

/** Receives the items of a metric and the spans between them, in time order: each item, then the span that starts with it. */
export interface SpanVisitor {
  /** `before` is the item before, null for the first one. `isNew` means that just before it no value was known, or another one. */
  item(item: ItemOfMetric, before: ItemOfMetric | null, isNew: boolean): void
  span(span: Span): void
  /** Whether it can receive several items as a rollup. */
  canAdd(rollup: ItemRollup, isOrdered: boolean): boolean
  /** Receives items together with the spans between them; without the spans where the order of the items is not known. */
  rollup(rollup: ItemRollup, before: ItemOfMetric | null, isOrdered: boolean): void
  /** Whether it also receives spans in which no value is known. */
  readonly needsUnknown: boolean
}

/** The dates that a plan covers. For plans with buckets it ends no later than now. */
export interface Window {
  readonly fromMs: number
  readonly endMs: number
}

export class FunctionOfTime {
  readonly #isStep: boolean
  readonly #maxGap: Duration | null
  readonly #maxGapMs: number
  readonly #nowMs: number
  readonly #window: Window
  readonly #visitor: SpanVisitor
  #before: ItemOfMetric | null = null
  #knownUntilMs = Number.NEGATIVE_INFINITY
  /** The item to be added next: a later item of the same date may still replace it. */
  #pendingMs = Number.NaN
  #pendingValue = 0
  #pendingExact: bigint | null = null
  #pendingIsEnded = false
  /** When an item that is not accepted ends the value of the last one; NaN if none does. */
  #endedMs = Number.NaN
  /** Unknown items may lie between this date and the next item; NaN if that is not so. */
  #uncountedMs = Number.NaN
  #passedMs = Number.NEGATIVE_INFINITY

  constructor({ shape, maxGap }: MetricOverTime, nowMs: number, window: Window, visitor: SpanVisitor) {
    this.#isStep = shape === 'step'
    this.#maxGap = maxGap
    const isFixed = maxGap !== null && maxGap.years === 0 && maxGap.months === 0
    this.#maxGapMs = maxGap === null ? Number.POSITIVE_INFINITY : isFixed ? fixedMs(maxGap) : Number.NaN
    this.#nowMs = nowMs
    this.#window = window
    this.#visitor = visitor
  }

  /** Whether later items cannot change the result. Before the first item nothing is known. */
  get isOver(): boolean {
    // An accepted item may still come at the date of `#endedMs`. Later than now, a value holds only if another item follows.
    const isEnded = this.#endedMs > this.#window.endMs && this.#passedMs > this.#endedMs && this.#endedMs <= this.#nowMs
    return this.#isPast || (isEnded && !this.#visitor.needsUnknown)
  }

  get #isPast(): boolean {
    const isEmpty = this.#before === null && Number.isNaN(this.#pendingMs)
    return (isEmpty ? this.#passedMs : (this.#before?.ms ?? Number.NEGATIVE_INFINITY)) > this.#window.endMs
  }

  /** Declares that no item before this date will come. */
  pass(ms: number): void {
    this.#passedMs = ms
  }

  /** Adds an item that is not accepted, in order: from it to the next accepted item nothing is known. */
  end(ms: number): void {
    if (ms !== this.#pendingMs) this.#commit()
    if (!Number.isNaN(this.#pendingMs)) this.#pendingIsEnded = true
    else if (Number.isNaN(this.#endedMs)) this.#endedMs = ms
  }

  /** Items come ordered by time, and those of one date by position: the last one of a date counts. */
  add(ms: number, value: number, exact: bigint | null = null): void {
    if (ms !== this.#pendingMs) {
      this.#commit()
      this.#replaceEnded(ms)
      this.#pendingMs = ms
    }
    this.#pendingValue = value
    this.#pendingExact = exact
    this.#pendingIsEnded = false
  }

  /** Whether neighbouring items can be added as a rollup, whatever came before them. */
  canAdd(rollup: ItemRollup): boolean {
    const { first, last, longestGapMs } = rollup
    const isWithin = first.ms >= this.#window.fromMs && last.ms <= this.#window.endMs
    return isWithin && first.ms + longestGapMs <= this.#gapEnd(first.ms) && this.#visitor.canAdd(rollup, true)
  }

  /** Whether a kept hour is sufficient. */
  canAddKept({ rollup, isOrdered }: KeptItems): boolean {
    if (rollup === null) return true
    return isOrdered ? this.canAdd(rollup) : this.#visitor.canAdd(rollup, false)
  }

  /** Adds an hour that `canAddKept` accepts. It must come after all earlier items. */
  addKept({ hourMs, rollup, isOrdered, endedMs, endMs }: KeptItems): void {
    if (!Number.isNaN(endedMs)) this.end(endedMs)
    if (rollup === null) return
    if (!isOrdered) {
      this.#addUnordered(hourMs, rollup)
      return
    }
    this.addRollup(rollup)
    this.#endedMs = endMs
  }

  /** Adds the first item after the window. It belongs to none of the window's buckets. */
  addNext(item: ItemOfMetric, endedMs: number): void {
    if (!Number.isNaN(endedMs)) this.end(endedMs)
    this.#commit()
    this.#replaceEnded(item.ms)
    const before = this.#before
    this.#before = item
    if (before !== null) this.#span(before, item)
    else this.#endUncounted(item.ms)
    this.#endedMs = Number.NaN
  }

  /** Before such an hour the value is known until the hour starts, if it holds; after it, from the next item on. */
  #addUnordered(hourMs: number, rollup: ItemRollup): void {
    this.#commit()
    const from = this.#before
    if (from === null) this.#endUncounted(hourMs)
    else {
      const isEnded = !Number.isNaN(this.#endedMs)
      const heldMs = Math.min(this.#gapEnd(from.ms), hourMs, isEnded ? this.#endedMs : hourMs)
      const knownUntilMs = this.#isStep || isEnded ? heldMs : from.ms
      const span = { from, to: null, endMs: hourMs, knownUntilMs, isKnownAtEnd: false, holds: true }
      this.#visitor.span({ ...span, isUncounted: true })
    }
    this.#visitor.rollup(rollup, null, false)
    this.#before = null
    this.#knownUntilMs = Number.NEGATIVE_INFINITY
    this.#endedMs = Number.NaN
    this.#uncountedMs = hourMs + msPerHour
  }

  #endUncounted(ms: number): void {
    const fromMs = this.#uncountedMs
    this.#uncountedMs = Number.NaN
    if (Number.isNaN(fromMs) || !this.#visitor.needsUnknown) return
    const from = { ms: fromMs, value: Number.NaN, exact: null }
    const span = { from, to: null, endMs: ms, knownUntilMs: fromMs, isKnownAtEnd: false, holds: true }
    this.#visitor.span({ ...span, isUncounted: true })
  }

  /** Adds items that `canAdd` accepts. They must come after all earlier ones. */
  addRollup(rollup: ItemRollup): void {
    this.#commit()
    this.#replaceEnded(rollup.first.ms)
    const before = this.#before
    if (before !== null) this.#span(before, rollup.first)
    else this.#endUncounted(rollup.first.ms)
    this.#visitor.rollup(rollup, before, true)
    this.#before = rollup.last
    this.#knownUntilMs = rollup.last.ms
    this.#endedMs = Number.NaN
  }

  finish(): void {
    this.#commit()
    const last = this.#before
    if (last === null || this.#isPast) return
    // An item later than now determines the value at its own date only.
    const heldMs = Math.max(last.ms, Math.min(this.#gapEnd(last.ms), this.#nowMs))
    const isEnded = this.#endedMs <= heldMs
    const endMs = isEnded ? this.#endedMs : heldMs
    this.#visitor.span({ from: last, to: null, endMs, knownUntilMs: endMs, isKnownAtEnd: !isEnded, holds: true })
  }

  #commit(): void {
    const ms = this.#pendingMs
    if (Number.isNaN(ms) || this.#isPast) return
    this.#pendingMs = Number.NaN
    const before = this.#before
    const item = { ms, value: this.#pendingValue, exact: this.#pendingExact }
    this.#before = item
    if (before !== null) this.#span(before, item)
    else this.#endUncounted(ms)
    this.#endedMs = this.#pendingIsEnded ? ms : Number.NaN
    if (ms < this.#window.fromMs || ms > this.#window.endMs) return
    this.#visitor.item(item, before, before === null || this.#knownUntilMs < ms || before.value !== item.value)
  }

  /** An accepted item replaces earlier items of its date that are not accepted: they end nothing. */
  #replaceEnded(ms: number): void {
    if (this.#endedMs === ms) this.#endedMs = Number.NaN
  }

  #span(from: ItemOfMetric, to: ItemOfMetric): void {
    const gapEndMs = this.#gapEnd(from.ms)
    const isEnded = !Number.isNaN(this.#endedMs)
    const holds = this.#isStep || isEnded
    const heldMs = isEnded ? this.#endedMs : to.ms
    this.#knownUntilMs = holds ? Math.min(heldMs, gapEndMs) : to.ms <= gapEndMs ? to.ms : from.ms
    if (to.ms <= this.#window.fromMs) return
    const isKnownAtEnd = !isEnded || gapEndMs < heldMs
    this.#visitor.span({ from, to, endMs: to.ms, knownUntilMs: this.#knownUntilMs, isKnownAtEnd, holds })
  }

  #gapEnd(ms: number): number {
    return this.#maxGap === null || !Number.isNaN(this.#maxGapMs)
      ? ms + this.#maxGapMs
      : addDuration(ms, this.#maxGap, 1)
  }
}

/** The value of a span at an instant within it at which the value is known. */
export function valueAtInstant({ from, to, holds }: Span, ms: number): number {
  if (holds || to === null) return from.value
  const share = (ms - from.ms) / (to.ms - from.ms)
  return from.value * (1 - share) + to.value * share
}
