import { expect, test } from 'vitest'
import { defaultSeriesFields } from '../../model/field.ts'
import type { RowMapping } from '../../model/row-mapping.ts'
import { mendRow } from './mend-row.ts'
import { OverwrittenValues } from './overwritten-values.ts'

const mapping: RowMapping = {
  drop: new Set(),
  rename: new Map([['value', 'V']]),
  set: new Map([
    ['V', 'null'],
    ['T', '"pump"'],
    ['unit', '"bar"'],
  ]),
  setMissing: new Map(),
  convert: new Map([['D', 'seconds']]),
}

function overwritten(rows: readonly string[], unknown?: 'add') {
  const values = new OverwrittenValues(mapping, { fields: defaultSeriesFields, ...(unknown ? { unknown } : {}) })
  for (const [at, row] of rows.entries()) {
    const text = { text: Buffer.from(row) }
    values.add(String(at), text, mendRow(text, mapping))
  }
  return values.list()
}

test('reports overwritten values that the ingest would accept, and no invalid ones', () => {
  const rows = [
    '{"D":"soon","T":"a","V":"n/a"}',
    '{"D":1767225600,"T":"pump","V":1}',
    '{"D":1767225600,"value":2}',
    '{"D":1767225600,"T":null,"V":null,"unit":"psi"}',
    '7',
  ]
  expect(overwritten(rows)).toEqual([
    { name: 'T', rows: 1, first: '0' },
    { name: 'V', rows: 2, first: '1' },
  ])
  // In an open ingest this name would add a field.
  expect(overwritten(rows.slice(3), 'add')).toEqual([{ name: 'unit', rows: 1, first: '0' }])
})
