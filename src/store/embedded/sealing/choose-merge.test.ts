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
  ['no files', [], null],
  ['three files of a day', ['a', 'b', 'c'].map((name) => [name, 1, 5]), null],
  ['four small files of a day', ['a', 'b', 'c', 'd'].map((name) => [name, 1, 5]), 'abcd'],
  ['four files of two days', ['a', 'b', 'c', 'd'].map((name, index) => [name, index % 2, 5]), null],
  ['four files of two entities', ['a', 'b', 'c', 'd'].map((name, index) => [name, 1, 5, index % 2]), null],
  ['four mixed files', ['a', 'b', 'c', 'd'].map((name) => [name, null, 5]), 'abcd'],
  [
    'three files of a day and a mixed file',
    [...['a', 'b', 'c'].map((name): File => [name, 1, 5]), ['d', null, 5]],
    null,
  ],
  ['four files of different sizes', [5, 15, 50, 500].map((rows, index) => [`${index}`, 1, rows]), null],
  ['four files of one size tier', [10, 20, 30, 39].map((rows, index) => [`${index}`, 1, rows]), '0123'],
  ['four files with too many rows together', [300, 301, 302, 303].map((rows, index) => [`${index}`, 1, rows]), null],
  [
    'the smallest four of five, of which only four fit',
    [250, 251, 200, 201, 202].map((rows, index) => [`${index}`, 1, rows]),
    '2340',
  ],
  [
    'more files first',
    [...['a', 'b', 'c', 'd'].map((name): File => [name, 1, 1]), ...[...'efghi'].map((name): File => [name, 2, 9])],
    'efghi',
  ],
  [
    'fewer rows first, for equal numbers of files',
    [...['a', 'b', 'c', 'd'].map((name): File => [name, 1, 9]), ...[...'efgh'].map((name): File => [name, 2, 1])],
    'efgh',
  ],
])('chooses files to merge: %s', (_, files, names) => {
  const chosen = chooseMerge(files.map(fileOf), rules)
  expect(chosen?.map(({ info }) => info.name).join('') ?? null).toEqual(names)
})
