import { expect, test } from 'vitest'
import { hourMs } from '../../hours/whole-hours.ts'
import { wholeHours } from './whole-hours.ts'

const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY }
const hours = (from: number, to: number) => ({ fromMs: from * hourMs, toMs: to * hourMs })
const at = (hour: number) => hour * hourMs

// The series has rows from 2:30 to 5:15.
test.each<[string, { fromMs: number; toMs: number }, { fromMs: number; toMs: number }]>([
  ['an open range', always, hours(2, 6)],
  ['a range from the first row to the last', { fromMs: at(2.5), toMs: at(5.25) }, hours(2, 6)],
  ['a start after the first row, within its hour', { fromMs: at(2.5) + 1, toMs: at(9) }, hours(3, 6)],
  ['a start on the hour', { fromMs: at(4), toMs: at(9) }, hours(4, 6)],
  ['a start just after the hour', { fromMs: at(4) + 1, toMs: at(9) }, hours(5, 6)],
  ['an end before the last row, within its hour', { fromMs: at(0), toMs: at(5.25) - 1 }, hours(2, 5)],
  ['an end on the hour, whose first millisecond is in the range', { fromMs: at(0), toMs: at(4) }, hours(2, 4)],
  ['an end at the last millisecond of an hour', { fromMs: at(0), toMs: at(5) - 1 }, hours(2, 5)],
  ['an end between milliseconds', { fromMs: at(0), toMs: at(5) - 1.5 }, hours(2, 4)],
  ['a range within one hour', { fromMs: at(3.25), toMs: at(3.75) }, hours(4, 4)],
])('wholeHours() of %s', (_, range, expected) => {
  expect(wholeHours(range, at(2.5), at(5.25))).toEqual(expected)
})

test('hours before 1970 start on the hour too', () => {
  expect(wholeHours(always, -hourMs - 1, -1)).toEqual(hours(-2, 0))
})
