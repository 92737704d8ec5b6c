import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ColumnVector } from '../model/column.ts'
import type { EntityField } from '../model/entity.ts'
import { formatInstant } from '../model/instant.ts'
import { Problem } from '../model/problem.ts'
import type { ResultBatch } from '../store/series-store.ts'
import type { Answer } from './query-runner.ts'
import { JsonShaper } from './shape-json.ts'

const doubles = (values: readonly (number | null)[]): ColumnVector => ({
  type: 'double',
  values: Float64Array.from(values, (value) => value ?? Number.NaN),
})

const timestamps = (values: readonly (number | null)[]): ColumnVector => ({
  type: 'timestamp',
  values: Float64Array.from(values, (value) => value ?? Number.NaN),
})

const longs = (values: readonly (bigint | null)[]): ColumnVector => ({
  type: 'long',
  values: Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value))),
  exact: BigInt64Array.from(values, (value) => value ?? 0n),
})

const booleans = (values: readonly (boolean | null)[]): ColumnVector => ({
  type: 'boolean',
  values: Uint8Array.from(values, (value) => (value === null ? 2 : Number(value))),
})

function strings(
  values: readonly (string | null)[],
  dictionary = [...new Set(values)].filter((value) => value !== null),
) {
  const codes = Int32Array.from(values, (value) => (value === null ? -1 : dictionary.indexOf(value)))
  return { type: 'string', codes, dictionary } satisfies ColumnVector
}

const batchOf = (...columns: readonly ColumnVector[]): ResultBatch => {
  const [first] = columns
  return { rows: first === undefined ? 0 : first.type === 'string' ? first.codes.length : first.values.length, columns }
}

const field = (name: string, type: EntityField['type']): EntityField => ({ name, type, role: 'metric' })

const textOf = (answer: Answer): string => Buffer.concat(answer.chunks).toString('utf8')

function shape(fields: readonly EntityField[], ...batches: readonly ResultBatch[]): string {
  const shaper = new JsonShaper(fields, Number.MAX_SAFE_INTEGER)
  for (const batch of batches) shaper.add(batch)
  const answer = shaper.finish()
  const text = textOf(answer)
  expect(answer.bytes).toBe(Buffer.byteLength(text))
  expect(answer.rows).toBe(batches.reduce((rows, batch) => rows + batch.rows, 0))
  return text
}

test('rows are flat objects, in the order of the columns', () => {
  const fields = [
    field('D', 'timestamp'),
    field('T', 'string'),
    field('on', 'boolean'),
    field('count', 'long'),
    field('V', 'double'),
  ]
  const day = Date.UTC(2026, 0, 1)
  const text = shape(
    fields,
    batchOf(
      timestamps([day, day + 1234, null]),
      strings(['a.b', 'say "hi"', null]),
      booleans([true, false, null]),
      longs([1n, 9_007_199_254_740_993n, null]),
      doubles([1.5, -0.25, null]),
    ),
  )
  expect(text).toBe(
    '[{"D":"2026-01-01T00:00:00.000Z","T":"a.b","on":true,"count":1,"V":1.5},' +
      '{"D":"2026-01-01T00:00:01.234Z","T":"say \\"hi\\"","on":false,"count":9007199254740993,"V":-0.25},' +
      '{"D":null,"T":null,"on":null,"count":null,"V":null}]',
  )
})

test('no rows are an empty array', () => {
  expect(shape([field('V', 'double')])).toBe('[]')
  expect(shape([field('V', 'double')], batchOf(doubles([])))).toBe('[]')
})

describe('byte for byte as JSON.stringify', () => {
  const check = <T>(type: EntityField['type'], values: fc.Arbitrary<T>, column: (values: T[]) => ColumnVector) =>
    fc.assert(
      fc.property(fc.array(fc.array(values, { minLength: 1, maxLength: 20 }), { maxLength: 4 }), (batches) => {
        const text = shape([field('v', type)], ...batches.map((batch) => batchOf(column(batch))))
        expect(text).toBe(JSON.stringify(batches.flat().map((v) => ({ v }))))
      }),
      { numRuns: 300 },
    )
  const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) })

  test('any double', () => check('double', orNull(fc.double({ noNaN: true })), doubles))

  test('doubles of few decimals', () => {
    const decimal = fc
      .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 22 }))
      .map(([scaled, decimals]) => scaled / 10 ** decimals)
    check('double', orNull(decimal), doubles)
    const small = fc
      .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 9 }))
      .map(([scaled, decimals]) => scaled / 10 ** decimals)
    check('double', orNull(small), doubles)
  })

  test('doubles beside a decimal, which look like it', () => {
    const near = fc
      .tuple(fc.integer({ min: 1, max: 10_000_000 }), fc.integer({ min: 1, max: 12 }), fc.constantFrom(-2, -1, 0, 1, 2))
      .map(([scaled, decimals, ulps]) => {
        const bits = new BigInt64Array(1)
        const value = new Float64Array(bits.buffer)
        value[0] = scaled / 10 ** decimals
        bits[0]! += BigInt(ulps)
        return value[0]
      })
    check('double', near, doubles)
  })

  test.each([
    [0, '0'],
    [-0, '0'],
    [1e21, '1e+21'],
    [1e-7, '1e-7'],
    [0.000001, '0.000001'],
    [0.1 + 0.2, '0.30000000000000004'],
    [5e-324, '5e-324'],
    [-1.7976931348623157e308, '-1.7976931348623157e+308'],
    [2 ** 53, '9007199254740992'],
    [123456789012345680000, '123456789012345680000'],
    [2 ** 50 + 0.25, '1125899906842624.2'],
    [Number.POSITIVE_INFINITY, 'null'],
  ])('the double %d', (value, text) => {
    expect(shape([field('v', 'double')], batchOf(doubles([value])))).toBe(`[{"v":${text}}]`)
    expect(JSON.stringify(value)).toBe(text)
  })

  test('any instant', () => {
    const instants = orNull(fc.integer({ min: -8.64e15, max: 8.64e15 }))
    const dated = (values: (number | null)[]) => values.map((ms) => ({ v: ms === null ? null : formatInstant(ms) }))
    const near = orNull(fc.integer({ min: -86_400_000, max: 86_400_000 }))
    for (const values of [instants, near]) {
      fc.assert(
        fc.property(fc.array(values), (list) => {
          expect(shape([field('v', 'timestamp')], batchOf(timestamps(list)))).toBe(JSON.stringify(dated(list)))
        }),
      )
    }
  })

  test('any string', () => check('string', orNull(fc.string({ unit: 'binary' })), strings))

  test('strings of several dictionaries, and long ones', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 100, maxLength: 400 })
    check('string', orNull(fc.oneof(long, fc.string({ maxLength: 3 }))), strings)
  })

  test('one dictionary for several batches', () => {
    const dictionary = ['a', 'b', 'c']
    const text = shape(
      [field('v', 'string')],
      batchOf(strings(['a', 'b'], dictionary)),
      batchOf(strings(['c', 'a'], dictionary)),
    )
    expect(text).toBe('[{"v":"a"},{"v":"b"},{"v":"c"},{"v":"a"}]')
  })

  test('booleans', () => check('boolean', orNull(fc.boolean()), booleans))

  test('longs, digit for digit', () => {
    const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    const digits = (value: bigint | null): string => (value === null ? 'null' : String(value))
    fc.assert(
      fc.property(fc.array(orNull(fc.oneof(any, fc.bigInt({ min: -1000n, max: 1000n })))), (values) => {
        const text = shape([field('v', 'long')], batchOf(longs(values)))
        expect(text).toBe(`[${values.map((value) => `{"v":${digits(value)}}`).join(',')}]`)
      }),
    )
  })

  test('names that need escapes', () => {
    expect(shape([field('a"\n', 'double')], batchOf(doubles([1])))).toBe('[{"a\\"\\n":1}]')
  })
})

describe('large answers', () => {
  const rows = 30_000
  const many = batchOf(
    strings(Array.from({ length: rows }, (_, row) => `tag ${row % 7}`)),
    doubles(Array.from({ length: rows }, (_, row) => row / 4)),
  )
  const fields = [field('T', 'string'), field('V', 'double')]
  const whole = JSON.stringify(Array.from({ length: rows }, (_, row) => ({ T: `tag ${row % 7}`, V: row / 4 })))

  test('come in pieces', () => {
    const shaper = new JsonShaper(fields, Number.MAX_SAFE_INTEGER)
    shaper.add(many, 0, 10_000)
    shaper.add(many, 10_000, rows)
    const answer = shaper.finish()
    expect(answer.chunks.length).toBeGreaterThan(1)
    expect(textOf(answer)).toBe(whole)
  })

  test('a long value among short ones does not make each row a piece', () => {
    const values = Array.from({ length: 1000 }, (_, row) => (row === 500 ? 'x'.repeat(1_000_000) : 'y'))
    const shaper = new JsonShaper([field('v', 'string')], Number.MAX_SAFE_INTEGER)
    shaper.add(batchOf(strings(values)))
    const answer = shaper.finish()
    expect(textOf(answer)).toBe(JSON.stringify(values.map((v) => ({ v }))))
    expect(answer.chunks.length).toBeLessThan(5)
  })

  test('may have as many bytes as the limit, and not one more', () => {
    const exact = new JsonShaper(fields, whole.length)
    exact.add(many)
    expect(exact.finish().bytes).toBe(whole.length)
    const tooSmall = new JsonShaper(fields, whole.length - 1)
    expect(() => {
      tooSmall.add(many)
      tooSmall.finish()
    }).toThrow(Problem)
  })

  test('are refused with the limit by name', () => {
    const shaper = new JsonShaper(fields, 1000)
    expect(() => shaper.add(many)).toThrow(
      'The answer has more than 1000 bytes, which is limits.resultBytes. ' +
        'Ask for a shorter range, fewer tags (ids, prefixes), fewer metrics or a coarser granularity.',
    )
  })
})

test('a column of another type than the plan says is a broken invariant', () => {
  expect(() => shape([field('v', 'double')], batchOf(strings(['a'])))).toThrow('a column of type string came')
})
