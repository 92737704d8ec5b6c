import { expect, test } from 'vitest'
import type { EntityField } from '../model/entity.ts'
import type { Field } from '../model/field.ts'
import { KnownFields } from '../model/known-fields.ts'
import { AddedFields } from './open-fields.ts'

const known: readonly Field[] = [{ name: 'value', source: 'V', type: 'double', role: 'metric' }]
const entity: readonly EntityField[] = [
  { name: 'site', type: 'string', role: 'tag' },
  { name: 'count', type: 'long', role: 'metric' },
]
const standing = new KnownFields(known, entity)

test.each<[name: string, json: string, longs: readonly string[], outcome: string]>([
  ['unit', '"C"', [], 'string dimension'],
  ['load', '1', [], 'double metric'],
  ['load', '-1.5e3', [], 'double metric'],
  ['n', '1', ['n'], 'long metric'],
  ['on', 'false', [], 'boolean metric'],
  ['a', 'null', [], 'nothing'],
  ['not a name', 'null', [], 'nothing'],
  ['a', '{"b":1}', [], 'unknown_field'],
  ['a', '[1]', [], 'unknown_field'],
  ['a', '1e400', [], 'unknown_field'],
  ['a', '"\\ud800"', [], 'unknown_field'],
  ['not a name', '1', [], 'unknown_field'],
  ['snap', '1', [], 'unknown_field'],
  ['value', '1', [], 'unknown_field'],
  ['site', '"x"', [], 'unknown_field'],
  // The row was pushed before this field existed.
  ['V', '1', [], 'double metric'],
  ['V', '"x"', [], 'wrong_type'],
  ['count', '1', [], 'long metric'],
  ['count', '1.5', [], 'wrong_type'],
  ['count', '"x"', [], 'wrong_type'],
  ['n', '9223372036854775807', ['n'], 'long metric'],
  ['n', '9223372036854775808', ['n'], 'out_of_range'],
])('property %s with value %s and longs %s: %s', (name, json, longs, outcome) => {
  const brought = new AddedFields({ fieldsMax: 2, standing })
  brought.begin(longs)
  const fault = brought.take(name, Buffer.from(json), 0)
  const [made] = brought.fields
  expect(fault?.code ?? (made === undefined ? 'nothing' : `${made.type} ${made.role}`)).toBe(outcome)
})

test('the error beyond limits.fields names the field and the limit', () => {
  const brought = new AddedFields({ fieldsMax: 2, standing })
  brought.begin()
  expect(brought.take('a', Buffer.from('1'), 0)).toBeNull()
  expect(brought.take('b', Buffer.from('1'), 0)).toEqual({
    code: 'too_many_fields',
    field: 'b',
    message: 'b: the ingest has 2 fields, so no row can add another (limits.fields)',
  })
})

test.each(['{"b":1}', '[1]'])('the error for the value %s says why it makes no field', (json) => {
  const brought = new AddedFields({ fieldsMax: 9, standing: standing })
  brought.begin()
  expect(brought.take('a', Buffer.from(json), 0)?.message).toBe(
    'a: cannot become a field: its value is an object or a list',
  )
})
