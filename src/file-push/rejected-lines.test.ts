import { expect, test } from 'vitest'
import type { LinePrecision } from '../model/line-format.ts'
import { precisionNote, timedText } from './rejected-lines.ts'

test.each<[precisions: readonly (LinePrecision | undefined)[], note: RegExp | null]>([
  [[], null],
  [[undefined, 'ns'], null],
  [[undefined, 's', 's'], /are in seconds: push them with --precision s\.$/],
  [['ns', 's'], /different units \(nanoseconds, seconds\)\. Save each push apart/],
])('for lines with the precisions %j, a note says how to push them', (precisions, note) => {
  expect(precisionNote(new Set(precisions))).toEqual(note === null ? null : expect.stringMatching(note))
})

test.each<[row: string, precision: LinePrecision | undefined, timed: string]>([
  ['{"V":1}', undefined, '{"V":1}'],
  ['a load="41" 17', 's', 'a load="41" 17'],
  ['a load="41 2"', 's', 'a load="41 2" 1767225661'],
  ['a load="41" ', 'ns', 'a load="41" 1767225661500000000'],
  ['a', 'us', 'a 1767225661500000'],
  ['a', 'ms', 'a 1767225661500'],
  ['a', 'm', 'a 29453761'],
])('%j with precision %s gets the time of receipt unless it has a time: %j', (row, precision, timed) => {
  expect(timedText({ row, precision, received: '2026-01-01T00:01:01.500Z' })).toBe(timed)
})
