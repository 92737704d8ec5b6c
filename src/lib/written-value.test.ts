import { expect, test } from 'vitest'
import { type DecimalSign, isAmbiguous, withoutGroups } from './written-value.ts'

test.each<[string, DecimalSign, string | null]>([
  ['1.081,5', 'comma', '1081.5'],
  ['-1.081.500,25', 'comma', '-1081500.25'],
  ['1.081.500', 'comma', '1081500'],
  ['1 081,5', 'comma', '1081.5'],
  ['1\u202f081', 'comma', '1081'],
  ["1'081.5", 'point', '1081.5'],
  ['1,081.5', 'point', '1081.5'],
  ['1,081,500', 'point', '1081500'],
  ['1\u00a0081\u00a0500', 'point', '1081500'],
  ['1.081', 'comma', null],
  ['1,081', 'point', null],
  ['1,081.5', 'comma', null],
  ['1.081,5', 'point', null],
  ['1.08,5', 'comma', null],
  ['10.81.500', 'comma', null],
  ['0.081,5', 'comma', null],
  ['1081,5', 'comma', null],
  ['1 081 50', 'point', null],
  ["1 081'500", 'point', null],
  ['1.081,', 'comma', null],
  ['2026', 'point', null],
  ['', 'point', null],
])('%s with a decimal %s is read as %s', (text, decimal, number) => {
  expect(withoutGroups(text, decimal)).toBe(number)
})

test.each([
  ['1,081', true],
  ['-999.000', true],
  ['1,0815', false],
  ['0,081', false],
  ['1081,500', false],
  ['1,081.5', false],
])('%s is ambiguous: %s', (text, is) => {
  expect(isAmbiguous(text)).toBe(is)
})
