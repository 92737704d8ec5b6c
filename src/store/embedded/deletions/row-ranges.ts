// Rows of a series by their numbers in a file, as ranges: pairs of the first and of the one after the last, rising, none touching the next.

export type RowRanges = Uint32Array

/** The rows that are in any of them. */
export function union(all: readonly RowRanges[]): RowRanges {
  if (all.length === 1) return all[0]!
  const starts = all.flatMap((ranges) => [...pairs(ranges)]).sort(([a], [b]) => a - b)
  const builder = new RangesBuilder()
  for (const [start, end] of starts) builder.add(start, end)
  return builder.ranges
}

/** Of the rows from `start` up to `end`, those that are in none of the ranges. */
export function* without(ranges: RowRanges, start: number, end: number): Generator<readonly [number, number]> {
  let next = start
  for (let at = firstEndingAfter(ranges, start); at < ranges.length && ranges[at]! < end; at += 2) {
    if (ranges[at]! > next) yield [next, ranges[at]!]
    next = Math.max(next, ranges[at + 1]!)
  }
  if (next < end) yield [next, end]
}

/** The same from the last one on. */
export function* withoutBackward(ranges: RowRanges, start: number, end: number): Generator<readonly [number, number]> {
  let before = end
  for (let at = firstEndingAfter(ranges, end - 1); at >= 0 && before > start; at -= 2) {
    if (at === ranges.length || ranges[at]! >= before) continue
    if (ranges[at + 1]! < before) yield [Math.max(start, ranges[at + 1]!), before]
    before = ranges[at]!
  }
  if (start < before) yield [start, before]
}

/** Of the rows from `start` up to `end`, those that are in one of the ranges. */
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

/** Takes ranges by their starts, rising; those that touch become one. */
export class RangesBuilder {
  readonly #numbers: number[] = []

  /** How many ranges there are. */
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

/** The place of the first range that has a row from `row` on. */
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
