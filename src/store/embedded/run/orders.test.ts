import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawFrom } from '../../../../test/support/random-rows.ts'
import { rounds } from '../../../../test/support/rounds.ts'
import { WatchedPacer } from '../../../../test/support/watched-pacer.ts'
import { inOrder, sortInSlices } from '../../../lib/sort-in-slices.ts'
import { OrderBuffers, orderByTime } from './order-by-time.ts'
import { orderWithin } from './order-within.ts'

const newPacer = (): WatchedPacer => new WatchedPacer({ sliceMs: 0, signal: new AbortController().signal })
/** The order of a naive stable sort. */
const naively = (length: number, compare: (left: number, right: number) => number): number[] =>
  Array.from(inOrder(length)).sort(compare)

/** Dates of rows whose series follow one another, rows of which some are late, and rows in no order. */
const shapes: Readonly<Record<string, (draw: (below: number) => number, place: number, length: number) => number>> = {
  rising: (_, place) => place,
  falling: (_, place, length) => length - place,
  equal: () => 7,
  'a few series': (_, place, length) => place % Math.ceil(length / 5),
  'many series': (_, place) => place % 7,
  'with late dates': (draw, place) => (draw(20) === 0 ? draw(place + 1) : place),
  'with ties and late dates': (draw, place) => Math.floor((draw(20) === 0 ? draw(place + 1) : place) / 9),
  random: (draw, _, length) => draw(length),
  'few distinct': (draw) => draw(4),
}
const rows = fc.oneof(fc.nat(40), fc.integer({ min: 2000, max: 20_000 }))

test.each(Object.entries(shapes))('orders dates as a naive stable sort does: %s', async (_, dateOf) => {
  const room = new OrderBuffers()
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(), async (length, seed) => {
      const draw = drawFrom(seed)
      const times = Float64Array.from({ length }, (_, place) => dateOf(draw, place, length))
      const copy = times.slice()
      const order = (await orderByTime(times, newPacer(), room)) ?? inOrder(length)
      expect(order.join()).toBe(naively(length, (left, right) => times[left]! - times[right]!).join())
      expect(times).toEqual(copy)
    }),
    { numRuns: rounds(20) },
  )
})

test('sorts each group of adjacent rows separately, also long groups', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom(1, 3, 50, 5000, 100_000), fc.nat(), async (length, groupRows, seed) => {
      const draw = drawFrom(seed)
      const keys = Float64Array.from({ length }, () => draw(50))
      const groupOf = (place: number): number => Math.floor(place / groupRows)
      const order = inOrder(length)
      const same = (left: number, right: number): boolean => groupOf(left) === groupOf(right)
      await orderWithin(order, same, (left, right) => keys[left]! - keys[right]!, newPacer())
      const byBoth = (left: number, right: number): number =>
        groupOf(left) - groupOf(right) || keys[left]! - keys[right]!
      expect(order.join()).toBe(naively(length, byBoth).join())
    }),
    { numRuns: rounds(60) },
  )
})

test('sorting in slices sorts all rows, however many were already sorted', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.nat(), fc.integer({ min: 1, max: 1000 }), async (length, seed, distinct) => {
      const draw = drawFrom(seed)
      const keys = Float64Array.from({ length }, () => draw(distinct))
      const compare = (left: number, right: number): number => keys[left]! - keys[right]!
      const known = Int32Array.from(naively(draw(length + 1), compare))
      const numbers = inOrder(length)
      numbers.set(known)
      const sorted = await sortInSlices(numbers, known.length, compare, newPacer())
      expect(sorted.join()).toBe(naively(length, compare).join())
    }),
    { numRuns: rounds(60) },
  )
})

const many = 300_000
const draw = drawFrom(1)

test.each(Object.entries(shapes))('300,000 dates, %s: every step is reported, and none is long', async (_, dateOf) => {
  const times = Float64Array.from({ length: many }, (_, place) => dateOf(draw, place, many))
  const pacer = newPacer()
  await orderByTime(times, pacer)
  expect(pacer.stepMax).toBeLessThanOrEqual(16_384)
  expect(pacer.spent).toBeGreaterThanOrEqual(many)
})

test.each([2, 2048, many])(
  '300,000 rows in groups of %i: no more than a block is compared between two steps',
  async (groupRows) => {
    let compared = 0
    let comparedMax = 0
    class ComparingPacer extends WatchedPacer {
      override spend(units: number): boolean {
        comparedMax = Math.max(comparedMax, compared)
        compared = 0
        return super.spend(units)
      }
    }
    const keys = Float64Array.from({ length: many }, () => draw(many))
    const compare = (left: number, right: number): number => {
      compared++
      return keys[left]! - keys[right]!
    }
    const same = (left: number, right: number): boolean => {
      compared++
      return Math.floor(left / groupRows) === Math.floor(right / groupRows)
    }
    await orderWithin(
      inOrder(many),
      same,
      compare,
      new ComparingPacer({ sliceMs: 0, signal: new AbortController().signal }),
    )
    expect(comparedMax).toBeLessThan(2048 * 16)
  },
)
