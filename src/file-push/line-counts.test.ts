import { expect, test } from 'vitest'
import { LineCounts } from './line-counts.ts'

const lines = [
  '# c',
  'm a=1,b="x,y",c=2 5',
  '',
  'm',
  '  m a=1 7',
  'm t="a\nb",u=1',
  '',
  `m,x=${'y'.repeat(70_000)} a=1,b=2`,
  'm t="\xe9",u=1 7',
].map((text) => Buffer.from(text, 'latin1'))

test.each([
  [false, [0, 1, 0, 1, 1, 1, 0, 1, 1], [1, 3, 4, 5, 7, 8]],
  [true, [0, 3, 0, 1, 1, 2, 0, 1, 1], [1, 1, 1, 3, 4, 5, 5, 7, 8]],
])('counts rows and lines of line protocol, with a row per field: %s', (isByField, rows, places) => {
  const counts = new LineCounts({ isByField, precision: 's' })
  expect(lines.map((line) => counts.rowsOf(line))).toEqual(rows)
  const of = counts.linesOf(lines)
  expect(of).toMatchObject({ lines: lines.length, rows: places.length })
  expect(places.map((_, row) => of.lineOf(row))).toEqual(places)
  expect(lines.map((line) => counts.ageOf(line).ms)).toEqual([null, 5000, null, null, 7000, null, null, null, null])
  expect(counts.ageOf(lines[1]!).rows).toBe(rows[1])
})
