import { describe, expect, test } from 'vitest'
import { plantIngest as plant } from '../../test/support/plant-ingest.ts'
import type { Ingest } from '../model/ingest.ts'
import { Intake } from './limits/intake.ts'
import { PushCheck } from './push-check.ts'
import { RowValidator } from './row-validator.ts'

const tags: Ingest = {
  ...plant,
  id: 2,
  kind: 'metadata',
  fields: [{ name: 'id', source: 'id', type: 'string', role: 'index' }],
}

const counted: [rows: number, bytes: number][] = []
const intake: Pick<Intake, 'requireCheck'> = { requireCheck: (_, rows, bytes) => void counted.push([rows, bytes]) }
const checks = new PushCheck({ intake, rowBytes: 10_000, rowsMax: 1000 })
const check = (ingest: Ingest, text: string, format: 'json' | 'ndjson' = 'json') =>
  checks.check({ keyId: 'k', ingest, body: Buffer.from(text), format })

const good = '{"D":"2026-01-01T00:00:00Z","T":"a","V":1}'

describe('a check', () => {
  test('reports which rows would be stored or rejected, and counts them for the key', async () => {
    const text = `[${good},{"D":1,"T":"a","X":1},5]`
    expect(await check(plant, text)).toEqual({
      rows: 3,
      stored: 1,
      rejected: 2,
      errors: [
        { index: 1, field: 'X', code: 'unknown_field', message: 'X: the ingest has no such field' },
        { index: 2, field: null, code: 'not_an_object', message: 'expected an object, got a number' },
      ],
    })
    expect(counted.at(-1)).toEqual([3, text.length])
  })

  test('reports all faults of a row, first the one it would be rejected for', async () => {
    const rows = ['{"D":"soon","X":1,"V":"n/a"}', '{"D":"soon"}', `{"X":1,"D":"${'x'.repeat(9000)}"}`]
    const { errors } = await check(plant, `[${rows.join()}]`)
    const brief = errors.map(({ code, field, further }) => [code, field, further?.map((one) => [one.code, one.field])])
    expect(brief).toEqual([
      [
        'invalid_time',
        'D',
        [
          ['unknown_field', 'X'],
          ['wrong_type', 'V'],
          ['missing_tag', 'T'],
        ],
      ],
      ['invalid_time', 'D', [['missing_tag', 'T']]],
      [
        'unknown_field',
        'X',
        [
          ['invalid_time', 'D'],
          ['missing_tag', 'T'],
        ],
      ],
    ])
    const named = Array.from({ length: 50 }, (_, index) => `"X${index}":1`)
    const [many] = (await check(plant, `[{${named}}]`)).errors
    expect(many?.further).toHaveLength(20)
  })

  test.each([
    ['json', '{"D":1767225600,"T":"a","V":1}', 0],
    ['json', `[${good},{"D":1767225600,"T":"a","V":1},{"D":1767225601,"T":"a","V":1}]`, 1],
    ['ndjson', `${good}\n\n{"D":1767225600,"T":"a","V":1}`, 1],
    ['json', `[${good},{"D":1767225600000,"T":"a","V":1767225600}]`, null],
    // Only the beginning is checked.
    ['json', `[${Array(100).fill(good)},{"D":1767225600,"T":"a","V":1}]`, null],
    ['json', `[{"D":1,"T":"${'x'.repeat(70_000)}","V":1},{"D":1767225600,"T":"a","V":1}]`, null],
    ['json', '[{"D":1767225600000,"D":1767225600}]', 0],
    ['json', '[{"D":1767225600,"D":1767225600000}]', null],
  ] as const)('hints where a time is probably in seconds: %s %.80s', async (format, text, index) => {
    const message =
      'D, 1767225600, is read as milliseconds: 1970-01-21T10:53:45.600Z. As seconds it is 2026-01-01T00:00:00.000Z: if that is meant, write milliseconds or ISO 8601.'
    const { hints } = await check(plant, text, format)
    expect(hints).toEqual(index === null ? undefined : [{ index, field: 'D', message }])
  })

  test('hints where a time is probably a date written in digits', async () => {
    const { stored, hints } = await check(plant, `[${good},{"D":202301010000,"T":"a","V":1}]`)
    expect([stored, hints]).toEqual([
      2,
      [
        {
          index: 1,
          field: 'D',
          message:
            'D, 202301010000, is read as milliseconds: 1976-05-30T10:43:30.000Z. As a date (yyyyMMddHHmm) it is 2023-01-01T00:00:00.000Z: if that is meant, write ISO 8601, or push CSV with --time-format yyyyMMddHHmm.',
        },
      ],
    ])
  })

  test('reports errors of fields that rows would add, by the types that the entity has', async () => {
    const parts = { intake, rowBytes: 10_000, rowsMax: 1000, fieldsMax: 10 }
    const entity = { name: 'load', type: 'string', role: 'dimension' } as const
    const knowing = new PushCheck({ ...parts, entityFields: () => [...plant.fields, entity] })
    const body = Buffer.from('[{"D":1,"T":"a","load":1},{"D":1,"T":"a","load":"x","n":1},{"D":1,"T":"a","n":"x"}]')
    const ingest: Ingest = { ...plant, unknown: 'add' }
    const { errors } = await knowing.check({ keyId: 'k', ingest, body, format: 'json' })
    expect(errors.map(({ index, code, field }) => [index, code, field])).toEqual([
      [0, 'wrong_type', 'load'],
      [2, 'wrong_type', 'n'],
    ])
  })

  test('checks items too', async () => {
    const { stored, errors } = await check(tags, '{"id":"a"}\n{"name":"b"}\n', 'ndjson')
    expect([stored, errors.map(({ code, field }) => [code, field])]).toEqual([1, [['unknown_field', 'name']]])
  })

  test('shortens a field name that is as long as a row', async () => {
    const { errors } = await check(plant, `[{"${'x'.repeat(5000)}":1}]`)
    expect(errors.map(({ field }) => field?.length)).toEqual([1003])
  })

  test('finds the same errors in many rows, in turns, as the validator does at once', async () => {
    const rows = Array.from({ length: 1000 }, (_, index) => (index % 7 === 3 ? '{"V":"x"}' : good))
    const body = Buffer.from(`[${rows.join()}]`)
    const entry = { ingestId: 1, fieldsVersion: 1, subscriberId: 0, receivedMs: 0, idempotencyKey: null, position: 0 }
    const { rejected } = new RowValidator({ rowBytes: 1000 }).validate(
      [{ ...entry, format: 'json', rows: 1000, body }],
      plant,
    )
    const { errors } = await check(plant, body.toString())
    const further = [
      { field: 'D', code: 'missing_time' },
      { field: 'T', code: 'missing_tag' },
    ]
    expect(errors).toMatchObject(
      rejected.map(({ index, field, code, message }) => ({ index, field, code, message, further })),
    )
    expect(errors.length).toBe(143)
  })

  test.each([
    ['more rows than limits.checkRows', `[${'1,'.repeat(1000)}1]`, 'too_many_rows', '1000 rows (limits.checkRows)'],
    ['a body that is not JSON', '[{]', 'invalid_json', 'not JSON'],
  ])('refuses %s', async (_, text, code, says) => {
    await expect(check(plant, text)).rejects.toMatchObject({ code, message: expect.stringContaining(says) })
  })

  test('is refused while its key is over its rate limit', async () => {
    const rates = {
      requireSpace: () => {
        throw new Error('too much')
      },
    }
    const full = new Intake({ rates } as never)
    expect(() => full.requireCheck({ keyId: 'k', ingest: plant }, 1, 1)).toThrow('too much')
  })
})
