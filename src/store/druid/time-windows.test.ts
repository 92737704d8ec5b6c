import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rangesAround } from './items-at.ts'
import { TimeWindows } from './time-windows.ts'

const instant = fc.integer({ min: -1e12, max: 1e12 })

test.each(['backwards', 'forwards'] as const)('windows %s cover the range without gaps or overlaps', (direction) => {
  const side = fc.oneof(instant, fc.constantFrom(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY))
  fc.assert(
    fc.property(side, side, instant, instant, fc.nat(5), (a, b, c, d, steps) => {
      const range = { fromMs: Math.min(a, b), toMs: Math.max(a, b) }
      const windows = new TimeWindows(range, direction, { minMs: Math.min(c, d), maxMs: Math.max(c, d) })
      const cut = []
      for (
        let window = windows.next();
        window !== null;
        window = cut.length < steps ? windows.next() : windows.widest()
      )
        cut.push(window)
      const rising = direction === 'forwards' ? cut : cut.reverse()
      expect(rising.at(0)?.fromMs).toBe(range.fromMs)
      expect(rising.at(-1)?.toMs).toBe(range.toMs)
      for (let index = 1; index < rising.length; index++) expect(rising[index].fromMs).toBe(rising[index - 1].toMs + 1)
    }),
  )
})

test('at most 100 ranges cover all dates', () => {
  fc.assert(
    fc.property(fc.uniqueArray(instant, { maxLength: 300 }), (dates) => {
      const times = dates.sort((left, right) => left - right)
      const { ranges, areExact } = rangesAround(times)
      expect(ranges.length).toBeLessThanOrEqual(100)
      const held = (ms: number): boolean => ranges.some(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs)
      expect(times.every(held)).toBe(true)
      const width = ranges.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs + 1, 0)
      expect(areExact).toBe(width === times.length)
    }),
  )
})
