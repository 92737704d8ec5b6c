import { expect, test } from 'vitest'
import { rowTexts } from './row-text.ts'

test('rows as JSON would write them', () => {
  const rows = [
    { D: new Date(0), V: 1.5, X: undefined },
    { V: null, o: { a: [1, 'x', true] } },
    { toJSON: () => ({ V: 1 }) },
  ]
  expect(rowTexts(rows)).toEqual(rows.map((row) => JSON.stringify(row)))
})

test.each<[unknown, string]>([
  [{ V: Number.POSITIVE_INFINITY }, 'V is Infinity, which JSON cannot hold'],
  [{ V: Number.NaN }, 'V is NaN'],
  [{ o: { a: [1, Number.NaN] } }, 'o.a.1 is NaN'],
  [{ D: new Date(Number.NaN) }, 'D is no valid date'],
  [{ V: 1n }, 'V is a bigint; give the row as JSON text to writeTexts'],
  [{ V: () => 1 }, 'V is a function'],
  [undefined, 'it is undefined and not an object'],
  [null, 'it is null and not an object'],
  [[{ V: 1 }], 'it is an array and not an object'],
  ['{"V":1}', 'and not an object'],
  [{ toJSON: () => undefined }, 'its toJSON answers nothing'],
])('%o would be altered', (row, fault) => {
  expect(() => rowTexts([{ V: 1 }, row as object])).toThrow('Row 2 of 2 cannot be written: ')
  expect(() => rowTexts([row as object])).toThrow(fault)
})
