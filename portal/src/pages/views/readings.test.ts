import { expect, test } from 'vitest'
import { inTagOrder } from './readings.ts'

const known = (...keys: string[]) => keys.map((key) => ({ key, id: key.split(' ')[0]! }))

test.each<[ids: string[], known: string[], shown: [id: string, key: string | null][]]>([
  // The service returns them by date.
  [
    ['b', 'a'],
    ['a', 'b'],
    [
      ['b', 'b'],
      ['a', 'a'],
    ],
  ],
  [
    ['a'],
    ['a x', 'a y'],
    [
      ['a', 'a x'],
      ['a', 'a y'],
    ],
  ],
  [
    ['a', 'none'],
    ['a'],
    [
      ['a', 'a'],
      ['none', null],
    ],
  ],
  [['a', 'b'], [], []],
])('the requested tags %j with items of %j are shown in the order requested', (ids, keys, shown) => {
  expect(inTagOrder(ids, known(...keys))).toEqual(shown.map(([id, key]) => ({ id, key })))
})
