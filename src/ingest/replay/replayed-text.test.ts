import { expect, test } from 'vitest'
import type { RejectedRow } from '../../catalog/rejected.ts'
import type { Field, FieldRole, FieldType } from '../../model/field.ts'
import type { Ingest } from '../../model/ingest.ts'
import { textAgain } from './replayed-text.ts'

const field = (name: string, type: FieldType, role: FieldRole): Field => ({ name, source: name, type, role })
const fields = [
  field('time', 'timestamp', 'time'),
  field('measurement', 'string', 'tag'),
  field('s', 'string', 'metric'),
]
const ingest: Ingest = {
  ...{ id: 1, alias: 'plant', kind: 'series', entity: 'plant', entityId: 1, fields, fieldsVersion: 1 },
  ...{ duplicates: 'keep', state: 'active', reason: null, createdMs: 0 },
}
const rejected: RejectedRow = {
  ...{ ingestId: 1, position: 0, batchPosition: 0, batchRows: 1, subscriberId: 1, index: 0, row: '' },
  ...{ field: null, code: 'unknown_field', message: '', receivedMs: 5, lineFormat: 'lines-ns' },
}
const again = (code: RejectedRow['code'], text: string) => textAgain({ ...rejected, code }, Buffer.from(text), ingest)

test('a line that was not UTF-8 stays rejected, because its stored text has a replacement character', () => {
  const text = 'm s="\ufffd"'
  expect(again('invalid_line', text)).toMatchObject({ fault: { code: 'invalid_line' } })
  const { text: json } = again('unknown_field', text) as { text: Uint8Array }
  expect(JSON.parse(Buffer.from(json).toString())).toEqual({ measurement: 'm', s: '\ufffd', time: 5 })
})
