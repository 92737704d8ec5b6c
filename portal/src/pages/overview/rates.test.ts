import { expect, test } from 'vitest'
import { addSample, keptMs, type RateSample, ratesOf } from './rates.ts'

const at = (ms: number, rows: number, rejected = 0): RateSample => ({ ms, rows, rejected })

test('rates are what was counted between two samples, a second', () => {
  expect(ratesOf([at(0, 100, 1), at(5000, 150, 1), at(10_000, 150, 11)])).toEqual([
    [5, 10],
    [10, 0],
    [0, 2],
  ])
})

test('a counter that fell was started again: its rate is not known', () => {
  expect(ratesOf([at(0, 100), at(5000, 20)])).toEqual([[5], [null], [null]])
})

test('a gap in the samples is a gap in the line', () => {
  expect(ratesOf([at(0, 1), at(60_000, 2)])).toEqual([[60], [null], [null]])
})

test('what is older than a quarter of an hour is let go', () => {
  const samples = addSample([at(0, 1), at(5000, 2)], at(keptMs + 1, 3))
  expect(samples.map(({ ms }) => ms)).toEqual([5000, keptMs + 1])
})
