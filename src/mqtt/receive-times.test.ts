import { expect, test } from 'vitest'
import { ReceiveTimes } from './receive-times.ts'

test('rows of one series get times that grow, others the time as it is', () => {
  let nowMs = 100
  const times = new ReceiveTimes(() => nowMs)
  expect(['a', 'a', 'b', 'a'].map((series) => times.next(series))).toEqual([100, 101, 100, 102])
  nowMs = 101
  expect(times.next('a')).toBe(103)
  nowMs = 500
  expect(times.next('a')).toBe(500)
  // A clock that is put back.
  nowMs = 200
  expect(times.next('a')).toBe(501)
})

test('series whose time has passed are forgotten, the others are not', () => {
  let nowMs = 0
  const times = new ReceiveTimes(() => nowMs)
  for (let at = 0; at < 9_999; at++) times.next(`s${at}`)
  nowMs = 1
  for (let at = 0; at < 50; at++) times.next('a')
  nowMs = 2
  times.next('b')
  expect(times.next('a')).toBe(51)
})
