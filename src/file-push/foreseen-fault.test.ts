// `src/ingest/row-validator.model.test.ts` compares the messages for rows of series with the validator's; this file tests metadata items.
import { expect, test } from 'vitest'
import type { Field } from '../model/field.ts'
import { foreseenFault, foreseenFaults } from './foreseen-fault.ts'

const fields: readonly Field[] = [
  { name: 'id', source: 'Id', type: 'string', role: 'index' },
  { name: 'more', source: 'More', type: 'json', role: 'attribute' },
]

test.each([
  ['{"Id":"a","More":{"x":[1,{}]}}', null, null],
  ['{"Id":"","More":1}', 'missing_index', 'Id: the identifier is missing'],
  ['{"More":null}', 'missing_index', 'Id: the identifier is missing'],
  ['{"Id":5}', 'wrong_type', 'Id: expected a string, got 5'],
  [`{"Id":"${'é'.repeat(1025)}"}`, 'too_large', 'Id: an identifier has at most 2048 bytes of UTF-8'],
  [`{"Id":"${'x'.repeat(1 << 20)}"}`, 'too_large', 'the row has 1048585 bytes, the most allowed is 1048576'],
])('%.60s', (row, code, message) => {
  const fault = foreseenFault(row, fields)
  expect([fault?.code ?? null, fault?.message ?? null]).toEqual([code, message])
})

test('faults are computed lazily', () => {
  const looked: string[] = []
  const watched: readonly Field[] = ['a', 'b', 'c'].map((source) => ({
    ...{ name: source, source, role: 'attribute' },
    get type(): Field['type'] {
      looked.push(source)
      return 'double'
    },
  }))
  const [first] = foreseenFaults('{"a":"x","b":"y","c":"z"}', watched)
  expect(first?.field).toBe('a')
  expect(new Set(looked)).toEqual(new Set(['a']))
})

test('in an open ingest an unknown name is a fault only if it is not a valid field name', () => {
  const faults = (row: string) => [...foreseenFaults(row, fields, true)].map(({ message }) => message)
  expect(faults('{"Id":"a","more2":1,"a b":null}')).toEqual([])
  expect(faults('{"Id":"a","a b":1}')).toEqual([expect.stringContaining('a b: cannot become a field')])
})
