import { expect, test } from 'vitest'
import { durationText, markTexts } from './formats.ts'

test.each<[number[], number, string[]]>([
  [[0, 0.5, 1], 0.5, ['0', '0.5', '1']],
  [[5, 5.00025, 5.0005], 0.00025, ['5', '5.00025', '5.0005']],
  [[0, 0.1 + 0.2], 0.1, ['0', '0.3']],
  [[0, 2e-10, 4e-10], 2e-10, ['0', '2.0e-10', '4.0e-10']],
  [[-20_000_000, 0], 20_000_000, ['-20,000,000', '0']],
  [[0, 2e15, 4e15], 2e15, ['0', '2.0e+15', '4.0e+15']],
  [[4.01e9, 4.02e9], 1e7, ['4.010e+9', '4.020e+9']],
  [[], 1, []],
])('the marks %j of an axis, %d apart, are %j', (marks, step, texts) => {
  expect(markTexts(marks, step)).toEqual(texts)
})

test.each([
  [0, '0 s'],
  [0.25, '0.25 s'],
  [59, '59 s'],
  [60, '1 min'],
  [7199.6, '2 h'],
  [18_720, '5 h 12 min'],
  [200_000, '2 d 8 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})
