import { expect, test } from 'vitest'
import { likelyFields } from './likely-fields.ts'

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

test('without a row, names alone say what a column may be', () => {
  const columns = ['timestamp', 'value', 'sensor', 'v'].map((name) => ({ name, cell: undefined }))
  expect(likelyFields(columns, fields)).toEqual(['D', null, null, 'V'])
})
