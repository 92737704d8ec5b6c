import type { Value } from '../../model/column.ts'
import type { BucketRow, BucketVisitor } from './bucket-rows.ts'
import type { ItemOfMetric, Span } from './function-of-time.ts'

/** How long one metric had each value in each bucket, and how often it changed to that value. Values are indices into `texts`. */
export class BucketStates implements BucketVisitor {
  readonly needsUnknown = false
  readonly #texts: readonly string[]
  readonly #states = new Map<number, { ms: number; entries: number }>()

  constructor(texts: readonly string[]) {
    this.#texts = texts
  }

  item({ value }: ItemOfMetric, _: ItemOfMetric | null, isNew: boolean): void {
    const state = this.#state(value)
    if (isNew) state.entries++
  }

  part({ from }: Span, fromMs: number, untilMs: number): void {
    this.#state(from.value).ms += untilMs - fromMs
  }

  canAdd(): boolean {
    return false
  }

  rollup(): void {}

  /** The values of all states in a row: text, seconds, entries. */
  take(): Omit<BucketRow, 'startMs'> | null {
    if (this.#states.size === 0) return null
    const values: Value[] = []
    for (const [value, { ms, entries }] of this.#states) values.push(this.#texts[value]!, ms / 1000, entries)
    this.#states.clear()
    return { isKnown: true, hasItems: true, values }
  }

  #state(value: number): { ms: number; entries: number } {
    const known = this.#states.get(value)
    if (known !== undefined) return known
    const state = { ms: 0, entries: 0 }
    this.#states.set(value, state)
    return state
  }
}
