import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SeriesIndex } from './series-index.ts'

type Values = readonly (string | null)[]

function indexOf(tags: readonly string[], series: readonly Values[]): SeriesIndex {
  const index = new SeriesIndex()
  for (const tag of tags) index.addTag(tag)
  for (const values of series) index.restore(values)
  return index
}

describe('restored series', () => {
  test('have the same numbers and values as before', () => {
    const values: Values[] = [
      ['a', null],
      ['a', 'x'],
      [null, 'x'],
      [null, null],
      ['', 'a'],
    ]
    const index = indexOf(['T', 'U'], values)
    expect(values.map((_, series) => index.valuesOf(series))).toEqual(values)
    const codes = index.tags.map(({ dictionary }, tag) =>
      Int32Array.from(values, (row) => (row[tag] === null ? -1 : dictionary.codeOf(row[tag] ?? ''))),
    )
    expect(values.map((_, row) => index.seriesOf(codes, row))).toEqual([0, 1, 2, 3, 4])
  })

  test('may lack tags that were added later', () => {
    const index = indexOf(['T', 'U'], [['a']])
    expect(index.valuesOf(0)).toEqual(['a', null])
  })

  test('are refused when a series occurs twice', () => {
    expect(() => indexOf(['T'], [['a'], ['a']])).toThrow('series 1 was written down twice')
  })
})

test('reading an unknown tag does not add it', () => {
  const index = indexOf(['T'], [['a'], ['b']])
  const tag = index.tagOrNulls('U')
  expect([tag.newestSeries(-1), tag.seriesBefore(1)]).toEqual([1, 0])
  expect(index.tag('U')).toBe(null)
})

test('adding a tag does not change the order of series', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.constantFrom(null, '', 'a', 'ab', '\uffff', '\u{1f600}')), (values) => {
      const index = indexOf(
        ['T'],
        values.map((value) => [value]),
      )
      const order = (): number[] => values.map((_, series) => series).sort(index.compare)
      const before = order()
      index.addTag('U')
      expect(order()).toEqual(before)
      const sorted = values.toSorted((left, right) => Buffer.compare(Buffer.from(left ?? ''), Buffer.from(right ?? '')))
      expect(before.map((series) => values[series] ?? '')).toEqual(sorted.map((value) => value ?? ''))
    }),
  )
})
