import { describe, expect, test } from 'vitest'
import { newChunk, type RowSlice } from '../head/chunk.ts'
import { type Direction, mergeSlices, type Pending } from './merge-slices.ts'

/** The dates of one source's rows, by slice. The position of all its rows is its first date divided by 100, so that later sources are newer. */
type Source = readonly (readonly number[])[]

class Sources implements Pending {
  /** The first dates of the opened sources, and the number of slices read. */
  readonly opened: number[] = []
  read = 0
  readonly #sources: Source[]
  readonly #direction: Direction

  constructor(sources: readonly Source[], direction: Direction) {
    this.#sources = [...sources]
    this.#direction = direction
  }

  peekMs(): number | null {
    if (this.#sources.length === 0) return null
    return this.#edge(this.#sources[this.#nearest()])
  }

  *open(): Generator<RowSlice> {
    const [source] = this.#sources.splice(this.#nearest(), 1)
    this.opened.push(this.#edge(source))
    const slices = this.#direction === 'forward' ? source : source.toReversed()
    for (const times of slices) {
      this.read++
      yield sliceOf(times, positionOf(source))
    }
  }

  #edge(source: Source): number {
    return this.#direction === 'forward' ? source[0][0] : (source.at(-1)?.at(-1) ?? 0)
  }

  #nearest(): number {
    const edges = this.#sources.map((source) => this.#edge(source))
    return edges.indexOf(this.#direction === 'forward' ? Math.min(...edges) : Math.max(...edges))
  }
}

const positionOf = (source: Source): number => source[0][0] / 100

function sliceOf(times: readonly number[], position: number): RowSlice {
  const chunk = newChunk(times.length)
  chunk.times.set(times)
  chunk.positions.fill(position)
  return { chunk, start: 0, end: times.length }
}

function merged(sources: readonly Source[], direction: Direction): { rows: number[][]; slices: number } {
  const slices = [...mergeSlices(new Sources(sources, direction), direction, () => [], null)]
  const rows = slices.flatMap(({ chunk, start, end }) => {
    const part = Array.from({ length: end - start }, (_, index) => [
      chunk.times[start + index],
      chunk.positions[start + index],
    ])
    return direction === 'forward' ? part : part.reverse()
  })
  return { rows, slices: slices.length }
}

describe.each<Direction>(['forward', 'backward'])('%s', (direction) => {
  test.each<[string, Source[]]>([
    ['no sources', []],
    ['one source', [[[1, 2], [3]]]],
    ['consecutive sources', [[[1, 2]], [[3, 4]]]],
    ['touching sources', [[[1, 2]], [[2, 3]]]],
    ['nested sources', [[[1, 9]], [[3, 4], [5]]]],
    ['interleaved sources', [[[1, 3, 5, 7]], [[2, 4, 6, 8]], [[4, 5, 6]]]],
    ['sources that share one date', [[[5]], [[4, 5, 5]], [[5, 6]]]],
    ['identical sources', [[[1, 2]], [[1, 2]]]],
  ])('merges %s', (_, sources) => {
    const expected = sources
      .flatMap((source) => source.flat().map((ms) => [ms, positionOf(source)]))
      .sort(([leftMs, left], [rightMs, right]) => leftMs - rightMs || left - right)
    expect(merged(sources, direction).rows).toEqual(direction === 'forward' ? expected : expected.reverse())
  })
})

test('passes on slices of sources that do not overlap, and reads no more than requested', () => {
  const sources = new Sources([[[1, 2], [3]], [[5, 6]], [[9]]], 'forward')
  const merge = mergeSlices(sources, 'forward', () => [], null)
  const taken = (): number[] => Array.from(merge.next().value?.chunk.times ?? [])
  expect([taken(), sources.opened, sources.read]).toEqual([[1, 2], [1], 1])
  expect([taken(), sources.opened, sources.read]).toEqual([[3], [1], 2])
  expect([taken(), sources.opened, sources.read]).toEqual([[5, 6], [1, 5], 3])
})
