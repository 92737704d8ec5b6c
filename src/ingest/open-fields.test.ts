import { expect, test } from 'vitest'
import type { Field } from '../model/field.ts'
import { BroughtFields } from './open-fields.ts'

const known: readonly Field[] = [{ name: 'value', source: 'V', type: 'double', role: 'metric' }]
const refused = new Map([['site', 'the entity has a tag of this name']])

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
])('%s with %s is %s %s', (name, json, longs, outcome) => {
  const brought = new BroughtFields(known, { fieldsMax: 2, refused })
  brought.begin(new Set(longs))
  const fault = brought.take(name, Buffer.from(json), 0)
  const [made] = brought.fields
  expect(fault?.code ?? (made === undefined ? 'nothing' : `${made.type} ${made.role}`)).toBe(outcome)
})

test('the field beyond the limit is named, and the limit', () => {
  const brought = new BroughtFields(known, { fieldsMax: 2, refused })
  brought.begin()
  expect(brought.take('a', Buffer.from('1'), 0)).toBeNull()
  expect(brought.take('b', Buffer.from('1'), 0)).toEqual({
    code: 'too_many_fields',
    field: 'b',
    message: 'b: the ingest has 2 fields, no row can bring another (limits.fields)',
  })
})
