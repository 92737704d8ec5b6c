import { expect, test } from 'vitest'
import type { SealedFileInfo } from '../reading/sealed-source.ts'
import { chooseMerge } from './choose-merge.ts'

const rules = { filesMin: 4, fileRowsMax: 1000, smallFileRows: 10 }

/** `day` is null for a mixed file. */
type File = readonly [name: string, day: number | null, rows: number, entityId?: number]

function fileOf([name, day, rows, entityId = 1]: File): { info: SealedFileInfo } {
  const kind = day === null ? 'mixed' : 'day'
  const bounds = { firstMs: 0, lastMs: 0, firstPosition: 0, lastPosition: 0, bytes: 0, indexBytes: 0 }
  return { info: { entityId, kind, day, name, rows, ...bounds } }
}

test.each<[string, readonly File[], string | null]>([
  ['nothing', [], null],
  ['three of a day', ['a', 'b', 'c'].map((name) => [name, 1, 5]), null],
  ['four small ones of a day', ['a', 'b', 'c', 'd'].map((name) => [name, 1, 5]), 'abcd'],
  ['four, but of two days', ['a', 'b', 'c', 'd'].map((name, index) => [name, index % 2, 5]), null],
  ['four, but of two entities', ['a', 'b', 'c', 'd'].map((name, index) => [name, 1, 5, index % 2]), null],
  ['four mixed ones', ['a', 'b', 'c', 'd'].map((name) => [name, null, 5]), 'abcd'],
  ['three of a day and a mixed one', [...['a', 'b', 'c'].map((name): File => [name, 1, 5]), ['d', null, 5]], null],
  ['four of unlike size', [5, 15, 50, 500].map((rows, index) => [`${index}`, 1, rows]), null],
  ['four of one tier', [10, 20, 30, 39].map((rows, index) => [`${index}`, 1, rows]), '0123'],
  ['four that are too many rows together', [300, 301, 302, 303].map((rows, index) => [`${index}`, 1, rows]), null],
  [
    'five of which four fit, the smallest',
    [250, 251, 200, 201, 202].map((rows, index) => [`${index}`, 1, rows]),
    '2340',
  ],
  [
    'more files first',
    [...['a', 'b', 'c', 'd'].map((name): File => [name, 1, 1]), ...[...'efghi'].map((name): File => [name, 2, 9])],
    'efghi',
  ],
  [
    'of as many files, fewer rows first',
    [...['a', 'b', 'c', 'd'].map((name): File => [name, 1, 9]), ...[...'efgh'].map((name): File => [name, 2, 1])],
    'efgh',
  ],
])('of %s', (_, files, names) => {
  const chosen = chooseMerge(files.map(fileOf), rules)
  expect(chosen?.map(({ info }) => info.name).join('') ?? null).toEqual(names)
})
