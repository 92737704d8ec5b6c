import type { Pacer } from '../../../lib/pacer.ts'
import type { RowSlice } from '../head/chunk.ts'
import type { SliceVisitor } from '../head/series-rows.ts'
import type { SeriesSource } from './series-source.ts'

/** A source without the rows before a date, which have expired. */
class SinceSource implements SeriesSource {
  readonly #source: SeriesSource
  readonly #sinceMs: number

  constructor(source: SeriesSource, sinceMs: number) {
    this.#source = source
    this.#sinceMs = sinceMs
  }

  prepare(series: number, pacer: Pacer): Promise<void> | null {
    return this.#source.prepare(series, pacer)
  }

  backward(series: number, fromMs: number, toMs: number, visit: SliceVisitor): void {
    this.#source.backward(series, this.#from(fromMs), toMs, visit)
  }

  runBackward(series: number, fromMs: number, toMs: number): Iterable<RowSlice> {
    return this.#source.runBackward(series, this.#from(fromMs), toMs)
  }

  run(series: number, fromMs: number, toMs: number): Iterable<RowSlice> {
    return this.#source.run(series, this.#from(fromMs), toMs)
  }

  #from(fromMs: number): number {
    return Math.max(fromMs, this.#sinceMs)
  }
}

/** The rows of a source that have not expired. */
export function since(source: SeriesSource, sinceMs: number | null): SeriesSource {
  return sinceMs === null ? source : new SinceSource(source, sinceMs)
}
