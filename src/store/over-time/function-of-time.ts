// One metric of one combination of tags and fields as a function of time: what its items say of the time between them.
import { addDuration, type Duration, fixedMs } from '../../model/duration.ts'
import type { MetricOverTime } from '../../model/plan.ts'

const msPerHour = 3_600_000

/** An item of one metric. A long beyond 2^53 has its digits too. */
export interface ItemOfMetric {
  readonly ms: number
  readonly value: number
  readonly exact: bigint | null
}

/**
 * What neighbouring items of one metric say together: at least one, each of a date of its own, and no other item lies between two of them.
 * What is not known is NaN.
 */
export interface ItemRollup {
  readonly count: number
  readonly first: ItemOfMetric
  readonly last: ItemOfMetric
  /** The longest time between two neighbours. */
  readonly longestGapMs: number
  readonly sum: number
  /** What the additions lost. */
  readonly lost: number
  readonly least: number
  readonly greatest: number
  /** Dates of the first least and the first greatest one. */
  readonly leastMs: number
  readonly greatestMs: number
  /** From the first to the last item, in value times milliseconds: of values that hold, and of values on the line. */
  readonly held: number
  readonly line: number
  /** How often a value is less than the one before, the sum of these falls, and that of the values that they end on, where these are positive. */
  readonly falls: number
  readonly fallen: number
  readonly restarted: number
  /** The sum of the squares of how far the values are from the first one. */
  readonly squares: number
  /** How long the value is known between first and last; absent: all the time. */
  readonly knownMs?: number
  /** The deepest fall; absent where nobody knows it. */
  readonly deepest?: number
  /** All digits of bounds that are longs beyond 2^53. */
  readonly leastDigits?: bigint | null
  readonly greatestDigits?: bigint | null
}

/** The first least and the first greatest one; without dates where nobody knows these. */
export function boundsOf(rollup: ItemRollup): { readonly least: ItemOfMetric; readonly greatest: ItemOfMetric } {
  return {
    least: { ms: rollup.leastMs, value: rollup.least, exact: rollup.leastDigits ?? null },
    greatest: { ms: rollup.greatestMs, value: rollup.greatest, exact: rollup.greatestDigits ?? null },
  }
}

/** What is kept of an hour of one metric whose rows have left. */
export interface KeptItems {
  readonly hourMs: number
  /** Null where no item was taken. */
  readonly rollup: ItemRollup | null
  /** Else its sum, count and bounds are known, with the first and the last item, and nothing of the time between. */
  readonly isOrdered: boolean
  /** Where items that were not taken end the value of what was before the hour, and of its last item; NaN where none does. */
  readonly endedMs: number
  readonly endMs: number
}

/** Whether a value is the lesser one: longs beyond 2^53 are told apart by their digits. */
export function isLess(left: Omit<ItemOfMetric, 'ms'>, right: Omit<ItemOfMetric, 'ms'>): boolean {
  if (left.value !== right.value || left.exact === null || right.exact === null) return left.value < right.value
  return left.exact < right.exact
}

/** The time from an item to the next one, or to where nothing more is known. */
export interface Span {
  readonly from: ItemOfMetric
  /** Null after the last item. */
  readonly to: ItemOfMetric | null
  /** Where it ends: at the next item, or where the last item's value ends. */
  readonly endMs: number
  /** From its start until then the value is known. */
  readonly knownUntilMs: number
  /** Whether it is known at that end too: it is not where an item that is not taken ends it. */
  readonly isKnownAtEnd: boolean
  /** Whether the value holds, and is not on the line to the next item. */
  readonly holds: boolean
  /** Whether items may lie in it that nobody knows: what a counter did is not known. */
  readonly isUncounted?: boolean
}

/** Told the items of a metric and the spans between them, in the order of time: each item, then the span that it begins. */
export interface SpanVisitor {
  /** `before` is the item before, null for the first one; `isNew` says that nothing was known just before, or another value. */
  item(item: ItemOfMetric, before: ItemOfMetric | null, isNew: boolean): void
  span(span: Span): void
  /** Whether several items may be told together. */
  takes(rollup: ItemRollup, isOrdered: boolean): boolean
  /** Items and the spans between them, told together; without the spans where their order is not known. */
  rollup(rollup: ItemRollup, before: ItemOfMetric | null, isOrdered: boolean): void
  /** Whether it is told spans also for where nothing is known in them. */
  readonly needsUnknown: boolean
}

/** What is looked at; its end is no later than now. */
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
  /** Newer items of its date may come. */
  #pendingMs = Number.NaN
  #pendingValue = 0
  #pendingExact: bigint | null = null
  #pendingIsEnded = false
  /** Where an item that is not taken ends the value of the last one; NaN where none does. */
  #endedMs = Number.NaN
  /** From then to the next item others may lie that nobody knows; NaN where that is not so. */
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

  /** Whether items that come later change nothing. Before the first item nothing is known. */
  get isOver(): boolean {
    // An item of the date of the end may still come, and be taken. Beyond now a value holds only where another item follows.
    const isEnded =
      this.#endedMs > this.#window.endMs && this.#passedMs > this.#endedMs && this.#endedMs <= this.#nowMs
    return this.#isPast || (isEnded && !this.#visitor.needsUnknown)
  }

  get #isPast(): boolean {
    const isEmpty = this.#before === null && Number.isNaN(this.#pendingMs)
    return (isEmpty ? this.#passedMs : (this.#before?.ms ?? Number.NEGATIVE_INFINITY)) > this.#window.endMs
  }

  /** Tells that items of later dates alone will come. */
  pass(ms: number): void {
    this.#passedMs = ms
  }

  /** An item that is not taken, in its turn: from it to the next one nothing is known. */
  end(ms: number): void {
    if (ms !== this.#pendingMs) this.#commit()
    if (!Number.isNaN(this.#pendingMs)) this.#pendingIsEnded = true
    else if (Number.isNaN(this.#endedMs)) this.#endedMs = ms
  }

  /** Items come by time, and those of one date by position: the last one of a date counts. */
  add(ms: number, value: number, exact: bigint | null = null): void {
    if (ms !== this.#pendingMs) {
      this.#commit()
      this.#takeOver(ms)
      this.#pendingMs = ms
    }
    this.#pendingValue = value
    this.#pendingExact = exact
    this.#pendingIsEnded = false
  }

  /** Whether neighbouring items may be told together, whatever came before them. */
  takes(rollup: ItemRollup): boolean {
    const { first, last, longestGapMs } = rollup
    const isWithin = first.ms >= this.#window.fromMs && last.ms <= this.#window.endMs
    return isWithin && first.ms + longestGapMs <= this.#gapEnd(first.ms) && this.#visitor.takes(rollup, true)
  }

  /** Whether a kept hour says what is asked. */
  takesKept({ rollup, isOrdered }: KeptItems): boolean {
    if (rollup === null) return true
    return isOrdered ? this.takes(rollup) : this.#visitor.takes(rollup, false)
  }

  /** An hour that it takes, which comes after all before. */
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

  /** The first item behind the window, which counts in none of its buckets. */
  addNext(item: ItemOfMetric, endedMs: number): void {
    if (!Number.isNaN(endedMs)) this.end(endedMs)
    this.#commit()
    this.#takeOver(item.ms)
    const before = this.#before
    this.#before = item
    if (before !== null) this.#span(before, item)
    else this.#endUncounted(item.ms)
    this.#endedMs = Number.NaN
  }

  /** Before it the value is known until the hour begins, where it holds; after it from the next item on. */
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

  /** Items that it takes, which come after all before. */
  addRollup(rollup: ItemRollup): void {
    this.#commit()
    this.#takeOver(rollup.first.ms)
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
    // An item that is later than now tells the value of its own date.
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

  /** An item that is taken stands for those of its date that are not and came before it: they end nothing. */
  #takeOver(ms: number): void {
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

/** The value of a span at an instant that is in it and known. */
export function valueAtInstant({ from, to, holds }: Span, ms: number): number {
  if (holds || to === null) return from.value
  const share = (ms - from.ms) / (to.ms - from.ms)
  return from.value * (1 - share) + to.value * share
}
