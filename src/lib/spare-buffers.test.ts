import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BorrowedArrays, SpareBuffers } from './spare-buffers.ts'

const unit = 65_536
let spares: SpareBuffers

beforeEach(() => {
  vi.useFakeTimers()
  spares = new SpareBuffers({ bytesMin: unit, bytesMax: 10 * unit, idleMs: 1000 })
})

afterEach(() => {
  vi.useRealTimers()
})

function giveOf(...sizes: readonly number[]): readonly ArrayBuffer[] {
  const buffers = sizes.map((size) => new ArrayBuffer(size * unit))
  for (const buffer of buffers) spares.give(buffer)
  return buffers
}

test('returns the smallest buffer that suffices, and only once', () => {
  const [three, one, two] = giveOf(3, 1, 2)
  expect(spares.take(unit + 1)).toBe(two)
  expect(spares.take(unit + 1)).toBe(three)
  expect(spares.take(unit)).toBe(one)
  expect(spares.bytes).toBe(0)
  expect(spares.take(unit).byteLength).toBe(unit)
})

test('returns a spare buffer of the wanted size, or else a new one of the needed size', () => {
  const [, large] = giveOf(2, 5)
  expect(spares.take(unit, 4 * unit)).toBe(large)
  expect(spares.take(unit, 4 * unit).byteLength).toBe(unit)
})

test.each([
  ['buffers below the minimum size', [unit - 1], 0],
  ['buffers beyond the total limit', [6 * unit, 5 * unit, 4 * unit], 10 * unit],
])('%s are not retained', (_, sizes, bytes) => {
  for (const size of sizes) spares.give(new ArrayBuffer(size))
  expect(spares.bytes).toBe(bytes)
})

describe('unused buffers are freed', () => {
  test('after the idle time', () => {
    giveOf(1, 2)
    vi.advanceTimersByTime(1000)
    expect(spares.bytes).toBe(0)
    expect([spares.takeLetGoBytes(), spares.takeLetGoBytes()]).toEqual([3 * unit, 0])
    giveOf(1)
    expect(spares.bytes).toBe(unit)
  })

  test('after an idle time that restarts with each use', () => {
    giveOf(1, 2)
    vi.advanceTimersByTime(600)
    spares.take(unit)
    vi.advanceTimersByTime(600)
    expect(spares.bytes).toBe(2 * unit)
    vi.advanceTimersByTime(600)
    expect(spares.bytes).toBe(0)
  })
})

test('borrowed arrays are returned together, and only once', () => {
  const arrays = new BorrowedArrays(spares)
  const numbers = arrays.float64(unit / 2)
  const codes = arrays.int32(unit / 2)
  expect([numbers.length, codes.length, spares.bytes]).toEqual([unit / 2, unit / 2, 0])
  arrays.giveBack()
  arrays.giveBack()
  expect(spares.bytes).toBe(6 * unit)
  expect(arrays.float64(unit / 2).buffer).toBe(numbers.buffer)
})
