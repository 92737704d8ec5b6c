import { expect, test } from 'vitest'
import { durationText, markTexts, secondsText, valueText } from './formats.ts'

test.each<[number[], number, string[]]>([
  [[0, 0.5, 1], 0.5, ['0', '0.5', '1']],
  [[5, 5.00025, 5.0005], 0.00025, ['5', '5.00025', '5.0005']],
  [[0, 0.1 + 0.2], 0.1, ['0', '0.3']],
  [[0, 2e-10, 4e-10], 2e-10, ['0', '2E-10', '4E-10']],
  [[-20_000_000, 0], 20_000_000, ['-20,000,000', '0']],
  [[0, 2e15, 4e15], 2e15, ['0', '2E15', '4E15']],
  [[4.01e9, 4.02e9], 1e7, ['4.01E9', '4.02E9']],
  [[9_007_199_254_740_990, 9_007_199_254_740_991], 1, ['9.00719925474099E15', '9.007199254740991E15']],
  [[0, 5e299, 1e300], 5e299, ['0', '5E299', '1E300']],
  [[], 1, []],
])('the marks %j of an axis, %d apart, are labelled %j', (marks, step, texts) => {
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
])('%d seconds are written as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text)
})

test.each([
  [0, '0'],
  [126_199.4, '126,199'],
  [1e-12, '1E-12'],
  [1.3771234e-12, '1.37712E-12'],
  [9_007_199_254_740_992, '9.0072E15'],
  [-1e300, '-1E300'],
])('the reading %d is written as %s', (value, text) => {
  expect(valueText(value)).toBe(text)
})

test('elapsed times have one decimal, formatted by the locale of the browser', () => {
  expect([0, 2.04, 1234.56].map(secondsText)).toEqual(['0.0 s', '2.0 s', '1,234.6 s'])
})
