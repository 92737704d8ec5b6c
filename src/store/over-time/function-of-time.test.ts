import { expect, test } from 'vitest'
import { FunctionOfTime } from './function-of-time.ts'

const nothing = {
  item: () => undefined,
  span: () => undefined,
  canAdd: () => false,
  rollup: () => undefined,
  needsUnknown: false,
}
const ofWindow = () => new FunctionOfTime({ shape: 'line', maxGap: null }, 1000, { fromMs: 10, endMs: 20 }, nothing)

test('a metric that a tag never has is over after a date beyond the window', () => {
  const one = ofWindow()
  one.pass(20)
  expect(one.isOver).toBe(false)
  one.pass(21)
  expect(one.isOver).toBe(true)
})

test('a metric with an item waits for the item after the window, to which its line leads', () => {
  const one = ofWindow()
  one.add(5, 1)
  one.pass(30)
  expect(one.isOver).toBe(false)
  one.add(40, 2)
  one.add(50, 2)
  expect(one.isOver).toBe(true)
})

test('a value that ends after the window waits for a later date, as an accepted value may follow at the same date', () => {
  const one = ofWindow()
  one.add(5, 1)
  one.end(40)
  one.pass(40)
  expect(one.isOver).toBe(false)
  one.pass(41)
  expect(one.isOver).toBe(true)
})
