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

test('the smallest that suffices is taken, and only once', () => {
  const [three, one, two] = giveOf(3, 1, 2)
  expect(spares.take(unit + 1)).toBe(two)
  expect(spares.take(unit + 1)).toBe(three)
  expect(spares.take(unit)).toBe(one)
  expect(spares.bytes).toBe(0)
  expect(spares.take(unit).byteLength).toBe(unit)
})

test('of what is wanted, or as much as is needed', () => {
  const [, large] = giveOf(2, 5)
  expect(spares.take(unit, 4 * unit)).toBe(large)
  expect(spares.take(unit, 4 * unit).byteLength).toBe(unit)
})

test.each([
  ['small ones', [unit - 1], 0],
  ['what is over the bound', [6 * unit, 5 * unit, 4 * unit], 10 * unit],
])('%s are not kept', (_, sizes, bytes) => {
  for (const size of sizes) spares.give(new ArrayBuffer(size))
  expect(spares.bytes).toBe(bytes)
})

describe('when nobody needs it, all of it is let go', () => {
  test('after the time of idleness', () => {
    giveOf(1, 2)
    vi.advanceTimersByTime(1000)
    expect(spares.bytes).toBe(0)
    expect([spares.takeLetGoBytes(), spares.takeLetGoBytes()]).toEqual([3 * unit, 0])
    giveOf(1)
    expect(spares.bytes).toBe(unit)
  })

  test('which begins anew with each use', () => {
    giveOf(1, 2)
    vi.advanceTimersByTime(600)
    spares.take(unit)
    vi.advanceTimersByTime(600)
    expect(spares.bytes).toBe(2 * unit)
    vi.advanceTimersByTime(600)
    expect(spares.bytes).toBe(0)
  })
})

test('borrowed arrays are given back together', () => {
  const arrays = new BorrowedArrays(spares)
  const numbers = arrays.float64(unit / 2)
  const codes = arrays.int32(unit / 2)
  expect([numbers.length, codes.length, spares.bytes]).toEqual([unit / 2, unit / 2, 0])
  arrays.giveBack()
  arrays.giveBack()
  expect(spares.bytes).toBe(6 * unit)
  expect(arrays.float64(unit / 2).buffer).toBe(numbers.buffer)
})
