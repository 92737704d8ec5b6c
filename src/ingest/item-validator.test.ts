import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PlacedEntry } from '../journal/journal.ts'
import type { Field, FieldType } from '../model/field.ts'
import type { Ingest } from '../model/ingest.ts'
import { itemJson } from '../model/item.ts'
import { ItemValidator } from './item-validator.ts'

const field = (name: string, type: FieldType, role: Field['role'] = 'attribute', source = name): Field => ({
  name,
  source,
  type,
  role,
})

function tableOf(indexType: FieldType): Ingest {
  return {
    id: 1,
    alias: 'tags',
    kind: 'metadata',
    entity: 'tags',
    entityId: 7,
    fields: [
      field('long', 'long'),
      field('id', indexType, 'index', 'Id'),
      field('text', 'string'),
      field('double', 'double'),
      field('flag', 'boolean'),
      field('at', 'timestamp'),
      field('tree', 'json'),
    ],
    fieldsVersion: 1,
    duplicates: 'keep',
    state: 'active',
    reason: null,
    createdMs: 0,
  }
}

function validate(body: string, indexType: FieldType = 'string', rows = 1) {
  const entry: PlacedEntry = {
    position: 100,
    ingestId: 1,
    fieldsVersion: 1,
    subscriberId: 1,
    receivedMs: 0,
    format: 'json',
    idempotencyKey: null,
    rows,
    body: Buffer.from(body),
  }
  const table = tableOf(indexType)
  const { items, rejected } = new ItemValidator({ rowBytes: 4096 }).validate([entry], table)
  return { items: items.map((item) => itemJson(table.fields, item)), writes: items, rejected }
}

describe('items as returned in responses', () => {
  test.each<[string, FieldType, string]>([
    ['{"Id":"a"}', 'string', '{"long":null,"id":"a","text":null,"double":null,"flag":null,"at":null,"tree":null}'],
    [
      '{"Id":"a","long":9223372036854775807,"text":"\\u0000é","double":-0.5,"flag":false,"at":"2026-01-01","tree":[ 1.0 , {"b" : 1E999} ]}',
      'string',
      '{"long":9223372036854775807,"id":"a","text":"\\u0000é","double":-0.5,"flag":false,"at":"2026-01-01T00:00:00.000Z","tree":[1.0,{"b":1E999}]}',
    ],
    [
      '{"Id":9007199254740993,"long":-5e0,"at":-1}',
      'long',
      '{"long":-5,"id":9007199254740993,"text":null,"double":null,"flag":null,"at":"1969-12-31T23:59:59.999Z","tree":null}',
    ],
    [
      '{"Id":-0.0,"tree":null}',
      'double',
      '{"long":null,"id":0,"text":null,"double":null,"flag":null,"at":null,"tree":null}',
    ],
    [
      '{"Id":0,"tree":"a \\n b"}',
      'timestamp',
      '{"long":null,"id":"1970-01-01T00:00:00.000Z","text":null,"double":null,"flag":null,"at":null,"tree":"a \\n b"}',
    ],
    [
      '{"Id":"x","Id":"y","tree":1,"tree":2}',
      'string',
      '{"long":null,"id":"y","text":null,"double":null,"flag":null,"at":null,"tree":2}',
    ],
  ])('%s', (body, type, json) => {
    const { items, rejected } = validate(body, type)
    expect(rejected).toEqual([])
    expect(items).toEqual([json])
  })
})

describe('rows that are not valid items', () => {
  test.each<[string, FieldType, string, string | null]>([
    ['{}', 'string', 'missing_index', 'Id'],
    ['{"Id":null}', 'string', 'missing_index', 'Id'],
    ['{"Id":""}', 'string', 'missing_index', 'Id'],
    ['{"text":"x"}', 'long', 'missing_index', 'Id'],
    ['{"id":"a"}', 'string', 'unknown_field', 'id'],
    ['{"Id":"a","other":null}', 'string', 'unknown_field', 'other'],
    ['{"Id":5}', 'string', 'wrong_type', 'Id'],
    ['{"Id":"\\ud800"}', 'string', 'wrong_type', 'Id'],
    ['{"Id":"5"}', 'long', 'wrong_type', 'Id'],
    ['{"Id":1.5}', 'long', 'wrong_type', 'Id'],
    ['{"Id":9223372036854775808}', 'long', 'out_of_range', 'Id'],
    ['{"Id":1e999}', 'double', 'out_of_range', 'Id'],
    ['{"Id":"noon"}', 'timestamp', 'wrong_type', 'Id'],
    ['{"Id":"a","flag":1}', 'string', 'wrong_type', 'flag'],
    ['{"Id":"a","at":253402300800000}', 'string', 'out_of_range', 'at'],
    ['{"text":5}', 'string', 'wrong_type', 'text'],
    ['[1]', 'string', 'not_an_object', null],
    [`{"Id":"${'é'.repeat(1025)}"}`, 'string', 'too_large', 'Id'],
    [`{"Id":"a","text":"${'x'.repeat(5000)}"}`, 'string', 'too_large', null],
  ])('rejects %s with an index of type %s: %s', (row, type, code, at) => {
    const { items, rejected } = validate(`[${row}]`, type)
    expect(items).toEqual([])
    expect(rejected).toMatchObject([{ code, field: at, row, position: 100, index: 0 }])
  })

  test('accepts an identifier of exactly the largest size', () => {
    expect(validate(`{"Id":"${'é'.repeat(1024)}"}`).rejected).toEqual([])
  })
})

test('valid and rejected rows of one push keep their positions', () => {
  const { writes, rejected } = validate('[{"Id":"a"},5,{"Id":"b"},{"Id":""},{"Id":"a","text":"2"}]', 'string', 5)
  expect(writes.map(({ entityId, key, position }) => [entityId, Buffer.from(key).toString(), position])).toEqual([
    [7, 'a', 100],
    [7, 'b', 102],
    [7, 'a', 104],
  ])
  expect(rejected.map(({ position, index }) => [position, index])).toEqual([
    [101, 1],
    [103, 3],
  ])
})

test('returns any JSON value of a json attribute unchanged, except for white space', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      const { items } = validate(`{"Id":"a","tree":${text}}`)
      expect(items[0]!.endsWith(`"tree":${JSON.stringify(value)}}`)).toBe(true)
    }),
    { numRuns: 300 },
  )
})
