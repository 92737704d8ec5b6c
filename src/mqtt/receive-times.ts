/** So many series are remembered before those are forgotten whose time has passed. */
const keptSeriesMax = 10_000

/**
 * The times of rows that have none of their own: when they were received, but for each series at least a millisecond after its last. Two rows
 * of one message, or of one millisecond, would otherwise be one item where an ingest has duplicates=replace.
 */
export class ReceiveTimes {
  readonly #nowMs: () => number
  readonly #lastMs = new Map<string, number>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Milliseconds since the epoch. */
  next(series: string): number {
    const nowMs = this.#nowMs()
    const atMs = Math.max(nowMs, (this.#lastMs.get(series) ?? Number.NEGATIVE_INFINITY) + 1)
    if (this.#lastMs.size >= keptSeriesMax) this.#forget(nowMs)
    this.#lastMs.set(series, atMs)
    return atMs
  }

  #forget(nowMs: number): void {
    for (const [series, lastMs] of this.#lastMs) if (lastMs < nowMs) this.#lastMs.delete(series)
  }
}
