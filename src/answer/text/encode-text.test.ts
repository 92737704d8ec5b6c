import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { codePoint } from '../../../test/support/code-point.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { CsvParser } from '../../lib/csv-parser.ts'
import type { ColumnVector } from '../../model/column.ts'
import type { EntityField } from '../../model/entity.ts'
import { formatInstant } from '../../model/instant.ts'
import { Problem } from '../../model/problem.ts'
import type { ResultBatch } from '../../store/series-store.ts'
import { ChunkWriter } from '../chunk-writer.ts'
import { csvEncoder, type Encoder, jsonEncoder, ndjsonEncoder } from './encode-text.ts'

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

type NewEncoder = (fields: readonly EntityField[], out: ChunkWriter) => Encoder

/** Writes all batches and returns the chunks of the body. */
function write(
  newEncoder: NewEncoder,
  fields: readonly EntityField[],
  batches: readonly ResultBatch[],
  resultBytes = Number.MAX_SAFE_INTEGER,
): readonly Uint8Array[] {
  const out = new ChunkWriter(resultBytes)
  const encoder = newEncoder(fields, out)
  for (const batch of batches) {
    for (let row = 0; row < batch.rows; row = encoder.add(batch, row, batch.rows));
  }
  encoder.end()
  const chunks = out.finish()
  expect(out.bytes).toBe(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0))
  return chunks
}

const textOf = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString('utf8')

function encoded(fields: readonly EntityField[], ...batches: readonly ResultBatch[]): string {
  return textOf(write(jsonEncoder, fields, batches))
}

const fieldOfEachType = [
  field('D', 'timestamp'),
  field('T', 'string'),
  field('on', 'boolean'),
  field('count', 'long'),
  field('V', 'double'),
]

test('rows are flat objects, in the order of the columns', () => {
  const fields = fieldOfEachType
  const day = Date.UTC(2026, 0, 1)
  const text = encoded(
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

test('no rows become an empty array', () => {
  expect(encoded([field('V', 'double')])).toBe('[]')
  expect(encoded([field('V', 'double')], batchOf(doubles([])))).toBe('[]')
})

describe('the same bytes as JSON.stringify', () => {
  const check = <T>(type: EntityField['type'], values: fc.Arbitrary<T>, column: (values: T[]) => ColumnVector) =>
    fc.assert(
      fc.property(fc.array(fc.array(values, { minLength: 1, maxLength: 20 }), { maxLength: 4 }), (batches) => {
        const text = encoded([field('v', type)], ...batches.map((batch) => batchOf(column(batch))))
        expect(text).toBe(JSON.stringify(batches.flat().map((v) => ({ v }))))
      }),
      { numRuns: rounds(300) },
    )
  const orNull = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
    fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) })

  test('any double', () => check('double', orNull(fc.double({ noNaN: true })), doubles))

  test('doubles with few decimals', () => {
    const decimal = fc
      .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 22 }))
      .map(([scaled, decimals]) => scaled / 10 ** decimals)
    check('double', orNull(decimal), doubles)
    const small = fc
      .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 9 }))
      .map(([scaled, decimals]) => scaled / 10 ** decimals)
    check('double', orNull(small), doubles)
  })

  test('doubles within two ulps of a short decimal', () => {
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
    expect(encoded([field('v', 'double')], batchOf(doubles([value])))).toBe(`[{"v":${text}}]`)
    expect(JSON.stringify(value)).toBe(text)
  })

  test('any timestamp', () => {
    const instants = orNull(fc.integer({ min: -8.64e15, max: 8.64e15 }))
    const dated = (values: (number | null)[]) => values.map((ms) => ({ v: ms === null ? null : formatInstant(ms) }))
    const near = orNull(fc.integer({ min: -86_400_000, max: 86_400_000 }))
    for (const values of [instants, near]) {
      fc.assert(
        fc.property(fc.array(values), (list) => {
          expect(encoded([field('v', 'timestamp')], batchOf(timestamps(list)))).toBe(JSON.stringify(dated(list)))
        }),
      )
    }
  })

  test('any string', () => check('string', orNull(fc.string({ unit: codePoint })), strings))

  test('long and short strings, and several dictionaries', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 100, maxLength: 400 })
    check('string', orNull(fc.oneof(long, fc.string({ maxLength: 3 }))), strings)
  })

  test('one dictionary for several batches', () => {
    const dictionary = ['a', 'b', 'c']
    const text = encoded(
      [field('v', 'string')],
      batchOf(strings(['a', 'b'], dictionary)),
      batchOf(strings(['c', 'a'], dictionary)),
    )
    expect(text).toBe('[{"v":"a"},{"v":"b"},{"v":"c"},{"v":"a"}]')
  })

  test('booleans', () => check('boolean', orNull(fc.boolean()), booleans))

  test('longs, with every digit', () => {
    const any = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    const digits = (value: bigint | null): string => (value === null ? 'null' : String(value))
    fc.assert(
      fc.property(fc.array(orNull(fc.oneof(any, fc.bigInt({ min: -1000n, max: 1000n })))), (values) => {
        const text = encoded([field('v', 'long')], batchOf(longs(values)))
        expect(text).toBe(`[${values.map((value) => `{"v":${digits(value)}}`).join(',')}]`)
      }),
    )
  })

  test('field names that need escapes', () => {
    expect(encoded([field('a"\n', 'double')], batchOf(doubles([1])))).toBe('[{"a\\"\\n":1}]')
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

  test('are written in several chunks', () => {
    const chunks = write(jsonEncoder, fields, [many])
    expect(chunks.length).toBeGreaterThan(1)
    expect(textOf(chunks)).toBe(whole)
  })

  test('are written in parts, each of which can be taken before the next', () => {
    const out = new ChunkWriter(Number.MAX_SAFE_INTEGER)
    const encoder = jsonEncoder(fields, out)
    let text = ''
    let most = 0
    for (let row = 0; row < many.rows; ) {
      const before = out.bytes
      row = encoder.add(many, row, many.rows)
      most = Math.max(most, out.bytes - before)
      const taken = out.take()
      text += textOf(taken)
      out.recycle(taken)
    }
    encoder.end()
    expect(text + textOf(out.finish())).toBe(whole)
    expect(out.bytes).toBe(whole.length)
    expect(most).toBeLessThan(1_500_000)
  })

  test('long strings are not all prepared at once', () => {
    const values = Array.from({ length: 64 }, (_, row) => `${row}`.padEnd(500_000, 'é'))
    const out = new ChunkWriter(Number.MAX_SAFE_INTEGER)
    const encoder = jsonEncoder([field('v', 'string')], out)
    const batch = batchOf(strings(values))
    expect(encoder.add(batch, 0, 64)).toBeLessThan(4)
    expect(textOf(write(jsonEncoder, [field('v', 'string')], [batch]))).toBe(JSON.stringify(values.map((v) => ({ v }))))
  })

  test('one long value among short ones does not put each row into its own chunk', () => {
    const values = Array.from({ length: 1000 }, (_, row) => (row === 500 ? 'x'.repeat(1_000_000) : 'y'))
    const chunks = write(jsonEncoder, [field('v', 'string')], [batchOf(strings(values))])
    expect(textOf(chunks)).toBe(JSON.stringify(values.map((v) => ({ v }))))
    expect(chunks.length).toBeLessThan(5)
  })

  test('may have as many bytes as the limit, and not one more', () => {
    expect(textOf(write(jsonEncoder, fields, [many], whole.length))).toBe(whole)
    expect(() => write(jsonEncoder, fields, [many], whole.length - 1)).toThrow(Problem)
  })

  test('over the limit are refused with its name', () => {
    expect(() => write(jsonEncoder, fields, [many], 1000)).toThrow(
      'The answer has more than 1000 bytes, which is limits.resultBytes. ' +
        'Narrow the query: a shorter range, fewer tags (ids, prefixes), fewer metrics or a coarser granularity.',
    )
  })
})

describe('CSV and NDJSON', () => {
  const fields = fieldOfEachType
  const day = Date.UTC(2026, 0, 1)
  const batch = batchOf(
    timestamps([day, day + 1234, null, -1]),
    strings(['a.b', 'say "hi", twice', null, '']),
    booleans([true, false, null, null]),
    longs([1n, 9_007_199_254_740_993n, null, -5n]),
    doubles([1.5, -0.25, null, 1e21]),
  )

  test('CSV has a header; null is an empty cell, and the empty string is ""', () => {
    expect(textOf(write(csvEncoder, fields, [batch]))).toBe(
      'D,T,on,count,V\r\n' +
        '2026-01-01T00:00:00.000Z,a.b,true,1,1.5\r\n' +
        '2026-01-01T00:00:01.234Z,"say ""hi"", twice",false,9007199254740993,-0.25\r\n' +
        ',,,,\r\n' +
        '1969-12-31T23:59:59.999Z,"",,-5,1e+21\r\n',
    )
  })

  test.each([
    ['plain', 'plain'],
    ['', '""'],
    [' spaces ', ' spaces '],
    ['a,b', '"a,b"'],
    ['"', '""""'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['\u{1f600}\u2028\0', '\u{1f600}\u2028\0'],
    ['null', 'null'],
    ["=1+'2", "=1+'2"],
  ])('CSV writes the string %j as %s', (text, cell) => {
    expect(textOf(write(csvEncoder, [field('v', 'string')], [batchOf(strings([text]))]))).toBe(`v\r\n${cell}\r\n`)
  })

  test('CSV is parsed back unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: codePoint }), fc.string()), { minLength: 1 }), (rows) => {
        const columns = [strings(rows.map(([left]) => left)), strings(rows.map(([, right]) => right))]
        const text = textOf(write(csvEncoder, [field('a', 'string'), field('b', 'string')], [batchOf(...columns)]))
        const reader = new CsvParser({ recordCharsMax: 1_000_000 })
        const records = [...reader.push(text), ...reader.end()]
        expect(records.map((record) => record.cells)).toEqual([['a', 'b'], ...rows])
      }),
    )
  })

  test('NDJSON has one object per line', () => {
    const json = JSON.parse(encoded(fields, batch)) as object[]
    const lines = textOf(write(ndjsonEncoder, fields, [batch])).split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line))).toEqual(json)
  })

  test('without rows, CSV is only a header and NDJSON is empty', () => {
    expect(textOf(write(csvEncoder, fields, []))).toBe('D,T,on,count,V\r\n')
    expect(textOf(write(ndjsonEncoder, fields, []))).toBe('')
  })

  test('timestamps before the year 0 are written in the extended form', () => {
    const ms = Date.UTC(-1, 0, 1)
    expect(textOf(write(csvEncoder, [field('D', 'timestamp')], [batchOf(timestamps([ms, day]))]))).toBe(
      'D\r\n-000001-01-01T00:00:00.000Z\r\n2026-01-01T00:00:00.000Z\r\n',
    )
  })
})

test('a column of another type than in the plan is a broken invariant', () => {
  expect(() => encoded([field('v', 'double')], batchOf(strings(['a'])))).toThrow('a column of type string came')
})
