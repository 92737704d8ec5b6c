import { expect, test } from 'vitest'
import type { QuarantinedEntry } from '../../catalog/quarantine.ts'
import type { RejectedRow } from '../../catalog/rejected.ts'
import { QuarantinedTexts } from './quarantined-texts.ts'

const partBytes = 5
const quarantined = {
  fromPosition: 100,
  level: 2,
  ingestId: 1,
  fieldsVersion: 1,
  subscriberId: 1,
  receivedMs: 0,
  quarantinedMs: 0,
  isReleased: false,
} as const

const bodies = new Map([
  [100, { format: 'json', rows: 3, text: ' [ {"a":"]"} , 5,{"b":{"c":[1,2]}} ]' }],
  [200, { format: 'ndjson', rows: 2, text: '\n{"a":1}\n\n[2]\n' }],
  [300, { format: 'json', rows: 1, text: '{"alone":1}' }],
  [400, { format: 'json', rows: 1, text: '{"gone":1}' }],
  [500, { format: 'replay', rows: 1, text: 'x' }],
] as const)

const texts = new QuarantinedTexts({
  list: async () =>
    [...bodies].map(([position, { format, rows, text }]): QuarantinedEntry => {
      return { ...quarantined, position, format, rows, bodyBytes: text.length, isReleased: position === 400 }
    }),
  bodyPart: async (position, part) => {
    const bytes = Buffer.from(bodies.get(position as 100)!.text).subarray(part * partBytes, (part + 1) * partBytes)
    return bytes.length === 0 ? null : bytes
  },
})

const rejected = (position: number, row = '', code: RejectedRow['code'] = 'not_validated'): RejectedRow => ({
  ingestId: 1,
  position,
  batchPosition: 0,
  batchRows: 1,
  subscriberId: 1,
  index: 0,
  row,
  field: null,
  code,
  message: '',
  receivedMs: 0,
})

test.each([
  ['a row with a stored text', rejected(100, '"kept"'), '"kept"'],
  ['the first row of a body', rejected(100), '{"a":"]"}'],
  ['the last row of a body', rejected(102), '{"b":{"c":[1,2]}}'],
  ['the row before the last one', rejected(101), '5'],
  ['a row of a body of lines', rejected(201), '[2]'],
  ['a body that is one row', rejected(300), '{"alone":1}'],
  ['a released body', rejected(400), null],
  ['a replay', rejected(500), null],
  ['no quarantined entry', rejected(600), null],
  ['a row with an empty text that is not quarantined', rejected(100, '', 'too_large'), null],
])('the text of a rejected row: %s', async (_, row, text) => {
  const found = await texts.rowOf(row)
  expect(found === null ? null : Buffer.from(found.text).toString()).toBe(text)
})
