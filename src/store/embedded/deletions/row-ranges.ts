// Ranges of rows of a series, by their numbers in a file: pairs of the first row and the one after the last, ascending, with gaps in between.

export type RowRanges = Uint32Array

/** The rows that are in any of the ranges. */
export function union(all: readonly RowRanges[]): RowRanges {
  if (all.length === 1) return all[0]!
  const starts = all.flatMap((ranges) => [...pairs(ranges)]).sort(([a], [b]) => a - b)
  const builder = new RangesBuilder()
  for (const [start, end] of starts) builder.add(start, end)
  return builder.ranges
}

/** The rows from `start` up to `end` that are in none of the ranges. */
export function* without(ranges: RowRanges, start: number, end: number): Generator<readonly [number, number]> {
  let next = start
  for (let at = firstEndingAfter(ranges, start); at < ranges.length && ranges[at]! < end; at += 2) {
    if (ranges[at]! > next) yield [next, ranges[at]!]
    next = Math.max(next, ranges[at + 1]!)
  }
  if (next < end) yield [next, end]
}

/** The same, from the last one back to the first. */
export function* withoutBackward(ranges: RowRanges, start: number, end: number): Generator<readonly [number, number]> {
  let before = end
  for (let at = firstEndingAfter(ranges, end - 1); at >= 0 && before > start; at -= 2) {
    if (at === ranges.length || ranges[at]! >= before) continue
    if (ranges[at + 1]! < before) yield [Math.max(start, ranges[at + 1]!), before]
    before = ranges[at]!
  }
  if (start < before) yield [start, before]
}

/** The rows from `start` up to `end` that are in one of the ranges. */
export function* within(ranges: RowRanges, start: number, end: number): Generator<readonly [number, number]> {
  for (let at = firstEndingAfter(ranges, start); at < ranges.length && ranges[at]! < end; at += 2) {
    yield [Math.max(start, ranges[at]!), Math.min(end, ranges[at + 1]!)]
  }
}

export function countRows(ranges: RowRanges): number {
  let rows = 0
  for (let at = 0; at < ranges.length; at += 2) rows += ranges[at + 1]! - ranges[at]!
  return rows
}

export function* pairs(ranges: RowRanges): Generator<readonly [number, number]> {
  for (let at = 0; at < ranges.length; at += 2) yield [ranges[at]!, ranges[at + 1]!]
}

/** Accepts ranges in ascending order of their starts. Ranges that touch or overlap are joined. */
export class RangesBuilder {
  readonly #numbers: number[] = []

  /** The number of ranges. */
  get length(): number {
    return this.#numbers.length / 2
  }

  get ranges(): RowRanges {
    return Uint32Array.from(this.#numbers)
  }

  add(start: number, end: number): void {
    const numbers = this.#numbers
    if (numbers.length > 0 && numbers.at(-1)! >= start) numbers[numbers.length - 1] = Math.max(numbers.at(-1)!, end)
    else numbers.push(start, end)
  }
}

/** The index of the first range that ends after `row`. */
function firstEndingAfter(ranges: RowRanges, row: number): number {
  let low = 0
  let high = ranges.length / 2
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ranges[2 * middle + 1]! <= row) low = middle + 1
    else high = middle
  }
  return 2 * low
}
