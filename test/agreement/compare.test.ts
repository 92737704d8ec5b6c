import { expect, test } from 'vitest'
import { differenceOf } from './compare.ts'

const answered = (value: unknown) => ({ status: 200, text: JSON.stringify(value) })

/** The description of a difference names its kind, which stays the same while a query shrinks. */
test.each<readonly [string, unknown, unknown, string | null]>([
  ['the same rows in another order', [{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], null],
  ['different last digits', [{ a: 0.1 + 0.2 }], [{ a: 0.3 }], null],
  [
    'a number close to two others',
    [{ a: 2_147_483_646 }, { a: 2_147_483_650 }],
    [{ a: 2_147_483_648 }, { a: 2_147_483_646 }],
    null,
  ],
  ['a null instead of a number', [{ a: 1, b: null }], [{ a: 1, b: 2 }], 'b: null and number'],
  ['different strings', [{ a: 'x' }], [{ a: 'y' }], 'a: string and string'],
  [
    'the same values in different pairs',
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ],
    'rows: which values stand beside each other',
  ],
  ['an extra row', [{ a: 1 }], [], '1 rows and 0'],
  ['different column names', [{ a: 1 }], [{ b: 1 }], 'columns a and b'],
])('rows: %s', (_, ours, theirs, difference) => {
  expect(differenceOf({ kind: 'sql', text: 'SELECT a FROM t' }, answered(ours), answered(theirs))).toBe(difference)
})

test.each<readonly [string, unknown, unknown, string | null]>([
  ['keys in another order', [{ a: 1, b: 2 }], [{ b: 2, a: 1 }], null],
  [
    'a different value at a path',
    [{ result: { a: [1, 'x'] } }],
    [{ result: { a: [1, null] } }],
    '[0].result.a[1]: string and null',
  ],
  ['a different length of an array', [{ result: [1] }], [{ result: [] }], '[0].result: 1 elements and 0'],
])('trees: %s', (_, ours, theirs, difference) => {
  expect(differenceOf({ kind: 'native', text: '{}' }, answered(ours), answered(theirs))).toBe(difference)
})
