import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PageCuts } from './page-cuts.ts'

const sizes = { pageRows: 8, sharedPageRows: 4 }

/** The number of rows of each page, for series of these lengths that arrive `rowsAtOnce` rows at a time. */
function pagesOf(series: readonly number[], rowsAtOnce: number): number[] {
  const cuts = new PageCuts(sizes)
  let rows = 0
  for (const length of series) {
    cuts.beginSeries(rows)
    for (const end = rows + length; rows < end; ) {
      rows = Math.min(end, rows + rowsAtOnce)
      cuts.grow(rows)
    }
    cuts.endSeries(rows)
  }
  cuts.finish(rows)
  return [...cuts.takeEnds()].map((end, page, ends) => end - (page === 0 ? 0 : ends[page - 1]))
}

describe('pages', () => {
  test.each([
    ['of one row', [1], [1]],
    ['shared by small series', [1, 2, 1, 3, 1, 1], [4, 4, 1]],
    ['closed before a series that would overfill them', [3, 3, 3], [3, 3, 3]],
    ['not shared by a larger series', [1, 7, 1], [1, 7, 1]],
    ['several for a long series', [8 + 8 + 2], [8, 5, 5]],
    ['exactly full', [16, 8], [8, 8, 8]],
    ['two halves rather than a full page and one row', [9], [5, 4]],
  ])('%s', (_, series, expected) => {
    for (const rowsAtOnce of [1, 3, 8]) expect(pagesOf(series, rowsAtOnce)).toEqual(expected)
  })

  test('stay within their sizes, and long series share none', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 8 }),
        (series, rowsAtOnce) => {
          const pages = pagesOf(series, rowsAtOnce)
          expect(pages.every((rows) => rows >= 1 && rows <= sizes.pageRows)).toBe(true)
          let row = 0
          const ends = new Set(pages.map((rows) => (row += rows)))
          let start = 0
          for (const length of series) {
            const cutInside = [...ends].some((end) => end > start && end < start + length)
            if (cutInside || length > sizes.sharedPageRows) {
              expect(start === 0 || ends.has(start)).toBe(true)
              expect(ends.has(start + length)).toBe(true)
            }
            start += length
          }
        },
      ),
    )
  })
})
