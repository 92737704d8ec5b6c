import { expect, test } from 'vitest'
import { cursorNote, isEveryItem, wholeText } from './words.ts'

const at = (second: number): string => new Date(second * 1000).toISOString()
const table = (...rows: [tag: string, second: number][]) => ({
  columns: ['D', 'T'],
  rows: rows.map(([tag, second]) => [at(second), tag]),
})
const names = { time: 'D', tags: ['T'] }
const span = { fromMs: 0, toMs: 100_000 }

test('a plot has every item if no pixel has two items of a tag', () => {
  const isEvery = (rows: ReturnType<typeof table>): boolean => isEveryItem(rows, names, span, 10)
  expect(isEvery(table(['a', 0], ['b', 5], ['a', 10], ['a', 95]))).toBe(true)
  expect(isEvery(table(['a', 0], ['b', 5], ['a', 9]))).toBe(false)
  // The last pixel includes the end of the range.
  expect(isEvery(table(['a', 90], ['a', 100]))).toBe(false)
  expect(isEvery(table())).toBe(true)
})

test.each([
  [at(0), true, 'The entity has items from 1970-01-01 00:00:00 to 1970-01-01 00:00:09 (UTC). “All” shows that range.'],
  [at(0), false, 'The entity has items from 1970-01-01 00:00:00 to 1970-01-01 00:00:09 (UTC).'],
  [null, true, 'The entity has no items yet.'],
])('with a first item at %s and a button for all: %s, the text is: %s', (first_date, hasAll, text) => {
  expect(wholeText({ first_date, last_date: at(9) }, 'UTC', hasAll)).toBe(text)
})

test('values at cursors that are not items are described as means of buckets', () => {
  expect(cursorNote('average', 'six_hour')).toBe(
    'A and B show means of items, every six hours: the values of buckets that begin there.',
  )
  expect(cursorNote('auto')).toBe('')
})
