import { expect, test } from 'vitest'
import { fallsMax, RunningItems } from './hour-items.ts'

function itemsOf(values: readonly number[], gapsMs: readonly number[] = []): RunningItems {
  const times: number[] = []
  for (let row = 0; row < values.length; row++) times.push(row === 0 ? 0 : times[row - 1]! + (gapsMs[row - 1] ?? 1000))
  const items = new RunningItems()
  const column = { type: 'double', values: Float64Array.from(values), exact: null } as const
  items.add(Float64Array.from(times), column, 0, values.length)
  return items
}

// A rise is last - first + fallen + restarted; large terms cancel, so these must be exact.
test.each<[values: readonly number[], isExact: boolean]>([
  [[1, 2, 3], true],
  [[10, 12, 0, 5], true],
  [[100.5, 2.25, 7, 1.125], true],
  [[10, -3, 4], true],
  [[1e16, 0.3, 0.7], false],
  [[4294967295.7, 0.1, 0.2], false],
  [[89.6, 62.4, 25.3, 13.7], false],
  [[2 ** 53 - 1, -(2 ** 53 - 2), -(2 ** 53 - 12)], false],
])('the falls of %j are stored where doubles represent them exactly: %s', (values, isExact) => {
  const { falls, fallen, restarted } = itemsOf(values)
  expect(falls <= fallsMax).toBe(isExact)
  if (!isExact) return
  const pairs = values.slice(1).map((value, row) => [values[row]!, value] as const)
  const fell = pairs.filter(([before, value]) => value < before)
  expect({ falls, fallen, restarted }).toEqual({
    falls: fell.length,
    fallen: fell.reduce((sum, [before, value]) => sum + before - value, 0),
    restarted: fell.reduce((sum, [, value]) => sum + Math.max(0, value), 0),
  })
})

test('the line integral of values that cancel is halved once, including the rounding errors of its sums', () => {
  const values: number[] = [0.1]
  const gapsMs: number[] = [10_000]
  for (let time = 0; time < 80; time++) {
    values.push(1e16, -1e16)
    gapsMs.push(10_000, time < 79 ? 20_000 : 10_000)
  }
  for (let time = 0; time < 40; time++) {
    values.push(0.1)
    gapsMs.push(15_000)
  }
  const exact = values.slice(1).reduce((sum, value, row) => {
    const twice = (one: number): bigint => (one === 0.1 ? 1n : BigInt(one) * 10n)
    return sum + (twice(values[row]!) + twice(value)) * BigInt(gapsMs[row]!)
  }, 0n)
  expect(itemsOf(values, gapsMs).line).toBeCloseTo(Number(exact) / 20, 6)
})
