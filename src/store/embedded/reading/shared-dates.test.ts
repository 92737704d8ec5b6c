import { expect, test } from 'vitest'
import { rangePartsOf, sharedDates } from './shared-dates.ts'

type Span = readonly [fromMs: number, toMs: number]

const rangeOf = ([fromMs, toMs]: Span) => ({ fromMs, toMs })

test.each<[string, readonly Span[], readonly Span[]]>([
  ['no ranges', [], []],
  ['one range', [[1, 5]], []],
  [
    'two disjoint ranges',
    [
      [6, 9],
      [1, 5],
    ],
    [],
  ],
  [
    'two ranges that share an end',
    [
      [1, 5],
      [5, 9],
    ],
    [[5, 5]],
  ],
  [
    'one range within another',
    [
      [1, 9],
      [3, 4],
    ],
    [[3, 4]],
  ],
  [
    'two disjoint ranges within another',
    [
      [1, 9],
      [3, 4],
      [6, 7],
    ],
    [
      [3, 4],
      [6, 7],
    ],
  ],
  [
    'a chain of ranges',
    [
      [1, 4],
      [3, 7],
      [6, 9],
    ],
    [
      [3, 4],
      [6, 7],
    ],
  ],
  [
    'three overlapping ranges',
    [
      [1, 6],
      [2, 8],
      [4, 9],
    ],
    [[2, 8]],
  ],
  [
    'two equal ranges',
    [
      [1, 5],
      [1, 5],
    ],
    [[1, 5]],
  ],
])('shared dates of %s', (_, spans, shared) => {
  expect(sharedDates(spans.map(rangeOf))).toEqual(shared.map(rangeOf))
})

const all: Span = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

test.each<[Span, readonly Span[], readonly (readonly [...Span, isShared: boolean])[]]>([
  [all, [[1, 5]], [[...all, false]]],
  [
    all,
    [
      [1, 5],
      [4, 9],
    ],
    [
      [all[0], 3, false],
      [4, 5, true],
      [6, all[1], false],
    ],
  ],
  [
    [4, 5],
    [
      [1, 5],
      [4, 9],
    ],
    [[4, 5, true]],
  ],
  [
    [5, 8],
    [
      [1, 5],
      [4, 9],
    ],
    [
      [5, 5, true],
      [6, 8, false],
    ],
  ],
  [
    [6, 8],
    [
      [1, 5],
      [4, 9],
    ],
    [[6, 8, false]],
  ],
])('splits %j into shared and unshared parts', (range, spans, parts) => {
  const expected = parts.map(([fromMs, toMs, isShared]) => ({ fromMs, toMs, isShared }))
  expect(rangePartsOf(rangeOf(range), spans.map(rangeOf))).toEqual(expected)
})
