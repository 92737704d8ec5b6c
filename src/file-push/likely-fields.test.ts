import { expect, test } from 'vitest'
import { likelyDateAndTime, likelyFields } from './likely-fields.ts'

const fields = [
  { name: 'D', type: 'timestamp' },
  { name: 'T', type: 'string' },
  { name: 'V', type: 'double' },
] as const

test.each<[[string, string | null][], (string | null)[]]>([
  [
    [
      ['when', '2026-01-01 08:00'],
      ['reading', '1,5'],
      ['sensor', 'a1'],
    ],
    ['D', 'V', 'T'],
  ],
  [
    [
      ['sensor', 'a1'],
      ['timestamp', '1767225600'],
      ['reading', '2'],
    ],
    ['T', 'D', 'V'],
  ],
  [
    [
      ['v', 'x'],
      ['t', '1'],
      ['d', 'y'],
    ],
    ['V', 'T', 'D'],
  ],
  [
    [
      ['a', null],
      ['b', null],
      ['c', null],
      ['d2', null],
    ],
    ['T', 'D', 'V', null],
  ],
])('%j', (columns, found) => {
  expect(
    likelyFields(
      columns.map(([name, cell]) => ({ name, cell })),
      fields,
    ),
  ).toEqual(found)
})

test('without a row, columns are matched by their names only', () => {
  const columns = ['timestamp', 'value', 'sensor', 'v'].map((name) => ({ name, cell: undefined }))
  expect(likelyFields(columns, fields)).toEqual(['D', null, null, 'V'])
})

test.each<[string, string][][]>([
  [
    [
      ['Time zone', 'UTC'],
      ['Timestamp', '2026-01-01 08:00'],
    ],
  ],
  [
    [
      ['runtime', '12'],
      ['when', '2026-01-01 08:00'],
    ],
  ],
])('a column is not matched to a field that another column matches better: %j', (columns) => {
  const found = likelyFields(
    columns.map(([name, cell]) => ({ name, cell })),
    [{ name: 'D', type: 'timestamp' }],
  )
  expect(found).toEqual([null, 'D'])
})

test('ignores blanks and quotes around a name', () => {
  expect(likelyFields([{ name: ' "v" ', cell: 'n/a' }], fields)).toEqual(['V'])
})

test.each([
  [
    ['2026-01-01', '08:00', '1'],
    ['a', 'b'],
  ],
  [
    ['01.02.2026', '8:00:00,5 PM', '1'],
    ['a', 'b'],
  ],
  [['2026-01-01', '08:00', '09:00'], null],
  [['2026-01-01 08:00', '08:00'], null],
])('%j: finds a date and a time column if there is exactly one of each', (cells, found) => {
  const names = ['a', 'b', 'c']
  expect(likelyDateAndTime(cells.map((cell, place) => ({ name: names[place]!, cell })))).toEqual(found)
})
