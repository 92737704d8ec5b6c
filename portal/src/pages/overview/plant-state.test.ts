import { expect, test } from 'vitest'
import { byHour, tagStates } from './plant-state.ts'

const nowMs = Date.UTC(2026, 0, 2, 12, 30)
const ago = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString()

test.each([
  ['one item a minute, the last a minute ago', 1400, 1400, 1, false],
  ['one item a minute, the last six minutes ago', 1400, 1400, 6, true],
  ['one item an hour, the last two hours ago', 20, 1260, 120, false],
  ['one item an hour, the last four hours ago', 20, 1380, 240, true],
  ['two items are too few to know the usual interval', 2, 1400, 1399, false],
  ['one item a second, silent for too short a time', 3600, 64, 4, false],
])('a tag is silent after three times its usual interval: %s', (_, n, oldest, newest, silent) => {
  expect(tagStates([{ t: 'a', n, a: ago(oldest), b: ago(newest) }], nowMs)).toEqual([
    { tag: 'a', items: n, newestMs: nowMs - newest * 60_000, silent },
  ])
})

test('tags are ordered by their newest item, then by name', () => {
  const rows = ['b', 'c', 'a'].map((t) => ({ t, n: 5, a: ago(50), b: ago(t === 'c' ? 1 : 2) }))
  expect(tagStates(rows, nowMs).map(({ tag }) => tag)).toEqual(['c', 'a', 'b'])
})

test('rows are counted for each of the 24 hours up to the current one', () => {
  const at = (hour: number): string => new Date(Date.UTC(2026, 0, 1, 13 + hour)).toISOString()
  const counts = byHour(
    [
      { h: at(0), n: 3 },
      { h: at(23), n: 4 },
      { h: at(-1), n: 1 },
    ],
    nowMs,
  )
  expect([counts.length, counts[0], counts[1], counts[23]]).toEqual([24, 3, 0, 4])
})
