import type { Cuts } from '../../druid-time/cuts.ts'
import type { Value } from '../../model/column.ts'
import { tooManyBuckets } from '../limits.ts'
import type { ItemOfMetric, ItemRollup, Span, SpanVisitor, Window } from './function-of-time.ts'

/** The values of one metric in one bucket. */
export interface BucketRow {
  readonly startMs: number
  /** Whether the value is known during some of the bucket. */
  readonly isKnown: boolean
  readonly hasItems: boolean
  readonly values: readonly Value[]
}

/** Collects the contents of one bucket at a time. */
export interface BucketVisitor {
  /** Whether it receives parts of spans in which the value is not known. */
  readonly needsUnknown: boolean
  item(item: ItemOfMetric, before: ItemOfMetric | null, isNew: boolean): void
  /** The part of a span that lies in the bucket. */
  part(span: Span, fromMs: number, untilMs: number): void
  canAdd(rollup: ItemRollup, isOrdered: boolean): boolean
  rollup(rollup: ItemRollup, before: ItemOfMetric | null, isOrdered: boolean): void
  /** Returns the contents of the bucket, null if it is empty, and starts the next one. `lengthMs` is the bucket's length within the window. */
  take(lengthMs: number): Omit<BucketRow, 'startMs'> | null
}

/** Splits spans and items at the borders of buckets. */
export class BucketRows implements SpanVisitor {
  readonly rows: BucketRow[] = []
  readonly #cuts: Cuts
  readonly #window: Window
  readonly #visitor: BucketVisitor
  readonly #bucketsMax: number
  readonly #hold: (values: number) => void
  #startMs = Number.NaN
  #nextMs = Number.NEGATIVE_INFINITY
  /** The end of the bucket that the last rollup was tested in. Later rollups do not start before that bucket. */
  #takenMs = Number.NEGATIVE_INFINITY

  /** `hold` is called with the number of values of each row. */
  constructor(cuts: Cuts, window: Window, bucketsMax: number, visitor: BucketVisitor, hold: (values: number) => void) {
    this.#cuts = cuts
    this.#window = window
    this.#bucketsMax = bucketsMax
    this.#hold = hold
    this.#visitor = visitor
  }

  get needsUnknown(): boolean {
    return this.#visitor.needsUnknown
  }

  item(item: ItemOfMetric, before: ItemOfMetric | null, isNew: boolean): void {
    this.#enter(item.ms)
    this.#visitor.item(item, before, isNew)
  }

  span(span: Span): void {
    const untilMs = Math.min(this.#visitor.needsUnknown ? span.endMs : span.knownUntilMs, this.#window.endMs)
    for (let at = Math.max(span.from.ms, this.#window.fromMs); at < untilMs; ) {
      this.#enter(at)
      const stop = Math.min(untilMs, this.#nextMs)
      this.#visitor.part(span, at, stop)
      at = stop
    }
  }

  canAdd(rollup: ItemRollup, isOrdered: boolean): boolean {
    const { first, last } = rollup
    if (first.ms >= this.#takenMs) this.#takenMs = this.#cuts.nextOf(this.#cuts.startOf(first.ms))
    return last.ms < this.#takenMs && this.#visitor.canAdd(rollup, isOrdered)
  }

  rollup(rollup: ItemRollup, before: ItemOfMetric | null, isOrdered: boolean): void {
    this.#enter(rollup.first.ms)
    this.#visitor.rollup(rollup, before, isOrdered)
  }

  finish(): void {
    this.#leave()
  }

  #enter(ms: number): void {
    if (ms < this.#nextMs) return
    this.#leave()
    this.#startMs = ms === this.#nextMs ? ms : this.#cuts.startOf(ms)
    this.#nextMs = this.#cuts.nextOf(this.#startMs)
  }

  #leave(): void {
    if (Number.isNaN(this.#startMs)) return
    const lengthMs = Math.min(this.#nextMs, this.#window.endMs) - Math.max(this.#startMs, this.#window.fromMs)
    const held = this.#visitor.take(lengthMs)
    // A bucket that starts at the end of the window has no length.
    if (held === null || lengthMs <= 0) return
    this.#hold(held.values.length)
    if (this.rows.push({ startMs: this.#startMs, ...held }) > this.#bucketsMax) throw tooManyBuckets(this.#bucketsMax)
  }
}
