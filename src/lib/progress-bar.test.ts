import { expect, test } from 'vitest'
import { ProgressBar } from './progress-bar.ts'

function shown(total: number | null, tty: boolean, updates: readonly [number, number][]): string {
  let now = 0
  let text = ''
  const output = { write: (part: string) => (text += part), isTTY: tty, columns: 60 }
  const bar = new ProgressBar({ output, nowMs: () => now, total })
  for (const [atMs, done] of updates) {
    now = atMs
    bar.update(done, () => `${done} rows`)
  }
  bar.end()
  return text
}

test.each<[string, number | null, boolean, [number, number][], string]>([
  ['nothing at first', 10, false, [[0, 1]], ''],
  [
    'a line every five seconds',
    10,
    false,
    [
      [4_000, 1],
      [5_000, 2],
      [9_000, 3],
      [10_000, 4],
    ],
    '20% 2 rows\n40% 4 rows\n',
  ],
  ['no percentage if the total is unknown', null, false, [[5_000, 2]], '2 rows\n'],
  [
    'a bar on a terminal',
    10,
    true,
    [[100, 5]],
    `\r\u001b[2K[${'#'.repeat(15)}${' '.repeat(15)}]  50% 5 rows\r\u001b[2K`,
  ],
])('%s', (_, total, tty, updates, expected) => {
  expect(shown(total, tty, updates)).toBe(expected)
})

test.each<[string, [number, number][], string]>([
  [
    'shows the final progress',
    [
      [5_000, 2],
      [6_000, 7],
      [7_000, 10],
    ],
    '20% 2 rows\n100% 10 rows\n',
  ],
  [
    'repeats no earlier line',
    [
      [5_000, 2],
      [10_000, 10],
    ],
    '20% 2 rows\n100% 10 rows\n',
  ],
  ['is omitted if the work ends before the first line', [[4_000, 10]], ''],
])('the last line %s', (_, updates, expected) => {
  expect(shown(10, false, updates)).toBe(expected)
})
