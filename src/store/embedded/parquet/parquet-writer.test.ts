import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rounds } from '../../../../test/support/rounds.ts'
import { UsedMemory } from '../../../../test/support/used-memory.ts'
import {
  type ColumnType,
  type ColumnVector,
  columnLength,
  nullBoolean,
  nullCode,
  type Value,
  valueAt,
} from '../../../model/column.ts'
import { type ColumnPages, type Encoding, type ParquetField, pagePlace, type RowGroupPages } from './column-pages.ts'
import { decodeDictionary, decodePage } from './decode-page.ts'
import { ParquetWriter, type ParquetWriterOptions } from './parquet-writer.ts'

/** A column of these values in the form that a push has. */
function columnOf(type: ColumnType, values: readonly Value[]): ColumnVector {
  const nearest = Float64Array.from(values, (value) => (value === null ? Number.NaN : Number(value)))
  switch (type) {
    case 'string': {
      const codeOf = new Map<Value, number>()
      const code = (value: Value) => codeOf.get(value) ?? codeOf.set(value, codeOf.size).size - 1
      const codes = Int32Array.from(values, (value) => (value === null ? nullCode : code(value)))
      return { type, codes, dictionary: [...codeOf.keys()].map(String) }
    }
    case 'boolean':
      return { type, values: Uint8Array.from(values, (value) => (value === null ? nullBoolean : Number(value))) }
    case 'long': {
      const exact = BigInt64Array.from(values, (value) => BigInt(value ?? 0))
      return { type, values: nearest, exact: values.some((value) => typeof value === 'bigint') ? exact : null }
    }
    default:
      return { type, values: nearest }
  }
}

function valuesOf(column: ColumnVector): Value[] {
  return Array.from({ length: columnLength(column) }, (_, row) => valueAt(column, row))
}

interface Group {
  readonly columns: readonly ColumnVector[]
  readonly pageEnds: readonly number[]
}

interface WrittenFile {
  readonly bytes: Uint8Array
  readonly groups: readonly RowGroupPages[]
}

async function writeFile(
  schema: readonly ParquetField[],
  groups: readonly Group[],
  options: ParquetWriterOptions = {},
): Promise<WrittenFile> {
  const parts: Uint8Array[] = []
  const writer = new ParquetWriter(schema, (bytes) => void parts.push(bytes.slice()), {
    spares: new UsedMemory(),
    ...options,
  })
  const written: RowGroupPages[] = []
  for (const { columns, pageEnds } of groups)
    written.push(await writer.writeRowGroup(columns, Int32Array.from(pageEnds)))
  const length = await writer.finish({ entity: 'boiler' })
  // Not a Buffer, whose slices would share its bytes: tests change them.
  const bytes = new Uint8Array(Buffer.concat(parts))
  expect(bytes.length).toBe(length)
  return { bytes, groups: written }
}

function readPage(bytes: Uint8Array, column: ColumnPages, page: number): ColumnVector {
  const { dictionary } = column
  const entries =
    dictionary === null
      ? null
      : decodeDictionary(bytes.subarray(dictionary.offset, dictionary.offset + dictionary.bytes), column)
  const place = pagePlace(column, page)
  return decodePage(bytes.subarray(place.offset, place.offset + place.bytes), column, page, entries)
}

function readColumn(bytes: Uint8Array, column: ColumnPages): Value[] {
  return Array.from(column.ends, (_, page) => valuesOf(readPage(bytes, column, page))).flat()
}

const oneColumn = (type: ColumnType, nullable = true): ParquetField[] => [{ name: 'value', type, nullable }]

/** Numbers that look random but are the same in each run. */
function scattered(index: number): number {
  const mixed = Math.imul(index ^ (index >>> 15) ^ 0x2545f491, 0x2c1b3c6d)
  return (Math.imul(mixed ^ (mixed >>> 13), 0x297a2d39) >>> 0) / 2 ** 32
}

const rows = 12_000
const make = (of: (row: number) => Value): Value[] => Array.from({ length: rows }, (_, row) => of(row))
const bigLong = (row: number) => 1_700_000_000_000_000_000n + BigInt(Math.floor(scattered(row) * 1e9))

const shapes: readonly (readonly [string, ColumnType, Encoding, Value[]])[] = [
  ['times at a distance', 'timestamp', 'DELTA_BINARY_PACKED', make((row) => 1.7e12 + row * 10_000)],
  [
    'times that jitter',
    'timestamp',
    'DELTA_BINARY_PACKED',
    make((row) => row * 1000 + Math.floor(scattered(row) * 99)),
  ],
  [
    'times far apart',
    'timestamp',
    'DELTA_BINARY_PACKED',
    make((row) => (row % 7 === 0 ? -62135596800000 : 253402300799999)),
  ],
  ['a tag for long', 'string', 'RLE_DICTIONARY', make((row) => `tag ${Math.floor(row / 2000)}`)],
  ['many names', 'string', 'DELTA_LENGTH_BYTE_ARRAY', make((row) => `${Math.floor(scattered(row) * 1e9)}-µ€😀`)],
  ['decimals', 'double', 'RLE_DICTIONARY', make((row) => Math.round(scattered(row) * 1000) / 1000)],
  ['full precision', 'double', 'BYTE_STREAM_SPLIT', make((row) => 50 + scattered(row) + scattered(row * 7) * 1e-9)],
  [
    'of every size',
    'double',
    'PLAIN',
    make((row) => scattered(row) * 10 ** Math.floor(scattered(row * 3) * 600 - 300)),
  ],
  ['one number', 'double', 'RLE_DICTIONARY', make(() => 0.5)],
  ['a counter', 'long', 'DELTA_BINARY_PACKED', make((row) => row * 3 - 7)],
  ['few longs', 'long', 'RLE_DICTIONARY', make((row) => Math.floor(scattered(row) * 5) * 1e12)],
  [
    'longs near 2^53',
    'long',
    'PLAIN',
    make((row) => (row % 2 === 0 ? -1 : 1) * (2 ** 53 - 1 - Math.floor(scattered(row) * 1e15))),
  ],
  ['longs beyond 2^53', 'long', 'PLAIN', make((row) => (row % 3 === 0 ? row : bigLong(row)))],
  ['booleans', 'boolean', 'RLE', make((row) => scattered(row) < 0.3)],
]
/** Doubles that are stored as decimals, with their number of digits after the point. */
const decimals: readonly (readonly [string, number, Encoding, Value[]])[] = [
  [
    'a sensor',
    3,
    'DELTA_BINARY_PACKED',
    make((row) => Math.round(1000 * (50 * Math.sin(row / 300) + scattered(row))) / 1000),
  ],
  ['a meter', 2, 'DELTA_BINARY_PACKED', make((row) => (row * 117) / 100)],
  ['a switch', 0, 'RLE_DICTIONARY', make((row) => (scattered(row) < 0.3 ? 1 : 1000))],
  ['one number', 1, 'RLE_DICTIONARY', make(() => 21.5)],
  ['the largest', 6, 'DELTA_BINARY_PACKED', make((row) => ((row % 2 === 0 ? 1 : -1) * (2 ** 50 - row)) / 1e6)],
]
const nullsBetween: readonly (readonly [string, (row: number) => boolean])[] = [
  ['no nulls', () => false],
  ['few nulls', (row) => scattered(row * 5) < 0.01],
  ['most null', (row) => scattered(row * 5) < 0.9],
  ['runs of nulls', (row) => row % 3000 < 1500],
]
const cases = shapes.flatMap(([name, type, encoding, values]) =>
  nullsBetween.map(([nulls, isNull]) => {
    return { name, nulls, type, encoding, values: values.map((value, row) => (isNull(row) ? null : value)) }
  }),
)
const decimalCases = decimals.flatMap(([name, digits, encoding, values]) =>
  nullsBetween.map(([nulls, isNull]) => {
    return { name, nulls, digits, encoding, values: values.map((value, row) => (isNull(row) ? null : value)) }
  }),
)
const longPages = [100, 101, 8741, 8749, rows]

describe('a page', () => {
  test.each(cases)('of $name with $nulls is read back as written', async ({ type, values, encoding, nulls }) => {
    const { bytes, groups } = await writeFile(oneColumn(type), [
      { columns: [columnOf(type, values)], pageEnds: longPages },
    ])
    const column = groups[0].columns[0]
    expect(readColumn(bytes, column)).toEqual(values)
    if (nulls === 'no nulls') expect(column.encoding).toBe(encoding)
  })

  test.each(decimalCases)(
    'of decimals ($name) with $nulls is read back as written',
    async ({ values, digits, encoding, nulls }) => {
      const schema: ParquetField[] = [{ name: 'value', type: 'double', nullable: true, digits }]
      const { bytes, groups } = await writeFile(schema, [
        { columns: [columnOf('double', values)], pageEnds: longPages },
      ])
      const column = groups[0].columns[0]
      expect(readColumn(bytes, column)).toEqual(values)
      if (nulls === 'no nulls') expect(column.encoding).toBe(encoding)
    },
  )

  const long = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
  const anyValue: Readonly<Record<ColumnType, fc.Arbitrary<Value>>> = {
    timestamp: fc.integer({ min: -62135596800000, max: 253402300799999 }),
    string: fc.string({ unit: 'grapheme', maxLength: 12 }),
    double: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -3, max: 3 })),
    long: long.map((value) =>
      typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value,
    ),
    boolean: fc.boolean(),
  }
  const anyColumn = fc.constantFrom(...(Object.keys(anyValue) as ColumnType[])).chain((type) =>
    fc.record({
      type: fc.constant(type),
      runs: fc.array(fc.tuple(fc.option(anyValue[type]), fc.nat(40)), { maxLength: 40 }),
      cuts: fc.array(fc.nat(200), { maxLength: 6 }),
      compress: fc.boolean(),
      dictionaryEntriesMax: fc.constantFrom(0, 1, 4, 65_536),
    }),
  )
  test('of random values is read back as written', async () => {
    await fc.assert(
      fc.asyncProperty(anyColumn, async ({ type, runs, cuts, ...options }) => {
        const values = runs.flatMap(([value, length]) => Array.from({ length: length + 1 }, () => value))
        const ends = [...new Set([...cuts, values.length])].filter((end) => end > 0 && end <= values.length)
        const group = { columns: [columnOf(type, values)], pageEnds: ends.sort((a, b) => a - b) }
        const { bytes, groups } = await writeFile(oneColumn(type), [group], options)
        const read = readColumn(bytes, groups[0].columns[0])
        expect(read.length).toBe(values.length)
        for (const [row, value] of values.entries())
          expect(read[row] === value || Object.is(read[row], value)).toBe(true)
      }),
      { numRuns: rounds(300) },
    )
  })

  test.each(shapes.map(([name, type, , values]) => ({ name, type, values })))(
    'of $name with one changed bit is damaged',
    async ({ type, values }) => {
      const column = columnOf(
        type,
        values.map((value, row) => (row % 10 === 3 ? null : value)),
      )
      const { bytes, groups } = await writeFile(oneColumn(type), [{ columns: [column], pageEnds: [50, 90, rows] }])
      const [pages] = groups[0].columns
      const place = pagePlace(pages, 1)
      const page = bytes.slice(place.offset, place.offset + place.bytes)
      for (let bit = 0; bit < page.length * 8; bit++) {
        page[bit >>> 3] ^= 1 << (bit & 7)
        expect(() => decodePage(page, pages, 1, null)).toThrow(/^damaged page$/)
        page[bit >>> 3] ^= 1 << (bit & 7)
      }
      expect(() => decodePage(page.subarray(1), pages, 1, null)).toThrow('damaged page')
      expect(() => decodePage(page, pages, 0, null)).toThrow('damaged page')
      if (pages.dictionary === null) return
      const { offset, bytes: length } = pages.dictionary
      bytes[offset + (length >>> 1)] ^= 4
      expect(() => readPage(bytes, pages, 1)).toThrow('damaged page')
    },
  )
})

test('a page of random bytes with a valid checksum is decoded or throws an Error, and always terminates', async () => {
  const files = await Promise.all(
    [...shapes, ...decimals.map(([name, , encoding, values]) => [name, 'double', encoding, values] as const)].map(
      ([, type, , values], index) => {
        const digits = index < shapes.length ? null : (decimals[index - shapes.length]?.[1] ?? null)
        const column = columnOf(
          type,
          values.slice(0, 700).map((value, row) => (row % 10 === 3 ? null : value)),
        )
        const schema: ParquetField[] = [{ name: 'value', type, nullable: true, digits }]
        return writeFile(schema, [{ columns: [column], pageEnds: [700] }])
      },
    ),
  )
  const change = fc.record({
    file: fc.nat(files.length - 1),
    bytes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
  })
  fc.assert(
    fc.property(change, ({ file, bytes }) => {
      const { bytes: sound, groups } = files[file]
      const [pages] = groups[0].columns
      const { offset, bytes: length } = pagePlace(pages, 0)
      const page = sound.slice(offset, offset + length)
      for (const [at, byte] of bytes) page[at % length] = byte
      const entries =
        pages.dictionary === null
          ? null
          : decodeDictionary(
              sound.subarray(pages.dictionary.offset, pages.dictionary.offset + pages.dictionary.bytes),
              pages,
            )
      try {
        decodePage(page, { ...pages, checksums: Uint32Array.of(crc32(page)) }, 0, entries)
      } catch (error) {
        expect(error).toBeInstanceOf(Error)
      }
    }),
    { numRuns: rounds(3000) },
  )
})

describe('a row group', () => {
  const schema: ParquetField[] = [
    { name: 'time', type: 'timestamp', nullable: false },
    { name: 'value', type: 'double', nullable: true },
  ]
  const times = columnOf('timestamp', [1, 2, 3])
  const doubles = columnOf('double', [1, null, 3])
  test.each([
    [
      'a null in a column that is not nullable',
      [columnOf('timestamp', [1, null, 3]), doubles],
      [3],
      'column time holds a null',
    ],
    ['columns of the wrong types', [doubles, times], [3], 'column time is not of type timestamp and 3 rows'],
    [
      'columns of the wrong lengths',
      [times, columnOf('double', [1])],
      [3],
      'column value is not of type double and 3 rows',
    ],
    ['a missing column', [times], [3], 'a row group has a column for each field'],
    ['an empty page', [times, doubles], [2, 2, 3], 'the ends of pages rise'],
  ] as const)('with %s is refused', async (_, columns, pageEnds, message) => {
    await expect(writeFile(schema, [{ columns, pageEnds }])).rejects.toThrow(message)
  })

  test('yields to other work while it is encoded', async () => {
    let pauses = 0
    const pause = async () => void pauses++
    const values = columnOf(
      'double',
      Array.from({ length: 300_000 }, (_, row) => row % 1000),
    )
    await writeFile(oneColumn('double'), [{ columns: [values], pageEnds: [150_000, 300_000] }], { pause })
    expect(pauses).toBeGreaterThan(5)
  })
})

describe('DuckDB', () => {
  let connection: DuckDBConnection
  let folder: string
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect()
    await connection.run("SET TimeZone = 'UTC'")
    folder = mkdtempSync(join(tmpdir(), 'tidemark-parquet-'))
  })
  afterAll(() => {
    connection.closeSync()
    rmSync(folder, { recursive: true })
  })

  async function ask(sql: string, bytes: Uint8Array): Promise<Value[][]> {
    const path = join(folder, 'file.parquet')
    writeFileSync(path, bytes)
    const result = await connection.runAndReadAll(sql.replaceAll('FILE', `'${path}'`))
    return result.getColumnsJS() as Value[][]
  }

  const name = ({ name, type }: ParquetField) => (type === 'timestamp' ? `epoch_ms("${name}")` : `"${name}"`)
  const asDuckDB = (value: Value, type: ColumnType) =>
    value !== null && (type === 'long' || type === 'timestamp') ? BigInt(value) : value

  async function expectSame(
    schema: readonly ParquetField[],
    values: readonly Value[][],
    bytes: Uint8Array,
  ): Promise<void> {
    const read = await ask(`SELECT ${schema.map(name).join(', ')} FROM FILE`, bytes)
    for (const [index, field] of schema.entries()) {
      const column = read[index] ?? []
      expect([field.name, column.length]).toEqual([field.name, values[index].length])
      const different = column.findIndex((value, row) => value !== asDuckDB(values[index][row], field.type))
      expect([field.name, different]).toEqual([field.name, -1])
    }
  }

  const schemaOfAll = cases.map(({ name, nulls, type }) => ({
    name: `${name}, ${nulls}`,
    type,
    nullable: nulls !== 'no nulls',
  }))
  const valuesOfAll = cases.map(({ values }) => values)

  test.each([
    ['a few long pages', longPages, {}],
    ['a few long pages, uncompressed', longPages, { compress: false }],
    ['many short pages', Array.from({ length: rows / 20 }, (_, page) => (page + 1) * 20), {}],
    ['no dictionaries', longPages, { dictionaryEntriesMax: 0 }],
  ])('reads all types with %s', async (_, pageEnds, options) => {
    const columns = cases.map(({ type, values }) => columnOf(type, values))
    const { bytes } = await writeFile(schemaOfAll, [{ columns, pageEnds }], options)
    await expectSame(schemaOfAll, valuesOfAll, bytes)
  })

  test.each([{}, { dictionaryEntriesMax: 0 }])('reads decimals as the same doubles (%j)', async (options) => {
    const schema = decimalCases.map(({ digits }, index): ParquetField => {
      return { name: `v${index}`, type: 'double', nullable: true, digits }
    })
    const columns = decimalCases.map(({ values }) => columnOf('double', values))
    const { bytes } = await writeFile(schema, [{ columns, pageEnds: longPages }], options)
    const types = await ask('SELECT column_type FROM (DESCRIBE SELECT * FROM FILE)', bytes)
    expect(types[0]).toEqual(decimalCases.map(({ digits }) => `DECIMAL(18,${digits})`))
    const read = await ask('SELECT COLUMNS(*)::DOUBLE FROM FILE', bytes)
    for (const [index, { values }] of decimalCases.entries()) expect(read[index]).toEqual(values)
    const [least, greatest] = await ask(
      "SELECT stats_min_value, stats_max_value FROM parquet_metadata(FILE) WHERE path_in_schema = 'v0'",
      bytes,
    )
    const numbers = (decimalCases[0]?.values ?? []).map(Number)
    expect([Number(least?.[0]), Number(greatest?.[0])]).toEqual([Math.min(...numbers), Math.max(...numbers)])
  })

  test('reads several row groups, including tiny ones, and a file without any', async () => {
    const parts = [
      [0, 1],
      [1, 3],
      [3, 5000],
    ]
    const groups = parts.map(([start, end]) => {
      const columns = cases.map(({ type, values }) => columnOf(type, values.slice(start, end)))
      return { columns, pageEnds: end - start > 10 ? [7, end - start] : [end - start] }
    })
    const { bytes } = await writeFile(schemaOfAll, groups)
    await expectSame(
      schemaOfAll,
      valuesOfAll.map((values) => values.slice(0, 5000)),
      bytes,
    )
    await expectSame(
      schemaOfAll,
      valuesOfAll.map(() => []),
      (await writeFile(schemaOfAll, [])).bytes,
    )
  })

  test('reads the types, the bounds and the metadata of a file', async () => {
    const schema: ParquetField[] = [
      { name: 'time', type: 'timestamp', nullable: false },
      { name: 'tag', type: 'string', nullable: false },
      { name: 'double', type: 'double', nullable: true },
      { name: 'long', type: 'long', nullable: true },
      { name: 'beyond', type: 'long', nullable: true },
      { name: 'boolean', type: 'boolean', nullable: true },
      { name: 'none', type: 'double', nullable: true },
    ]
    const columns = [
      columnOf('timestamp', [0, 1000, -1]),
      columnOf('string', ['b', '￿', '😀']),
      columnOf('double', [0, null, -2.5]),
      columnOf('long', [null, 7, -3]),
      columnOf('long', [null, 2n ** 60n, -3]),
      columnOf('boolean', [true, null, null]),
      columnOf('double', [null, null, null]),
    ]
    const { bytes } = await writeFile(schema, [{ columns, pageEnds: [1, 3] }])
    const types = await ask('SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM FILE)', bytes)
    expect(types[1]).toEqual(['TIMESTAMP WITH TIME ZONE', 'VARCHAR', 'DOUBLE', 'BIGINT', 'BIGINT', 'BOOLEAN', 'DOUBLE'])
    const bounds = await ask(
      'SELECT path_in_schema, stats_min_value, stats_max_value, stats_null_count, num_values FROM parquet_metadata(FILE)',
      bytes,
    )
    expect(bounds[0].map((column, index) => [column, bounds[1][index], bounds[2][index], bounds[3][index]])).toEqual([
      ['time', '1969-12-31 23:59:59.999+00', '1970-01-01 00:00:01+00', 0n],
      ['tag', 'b', '😀', 0n],
      ['double', '-2.5', '0.0', 1n],
      ['long', '-3', '7', 1n],
      ['beyond', null, null, 1n],
      ['boolean', 'true', 'true', 2n],
      ['none', null, null, 3n],
    ])
    expect(bounds[4]).toEqual(schema.map(() => 3n))
    const [createdBy] = await ask('SELECT created_by FROM parquet_file_metadata(FILE)', bytes)
    expect(createdBy).toEqual(['tidemark version 1'])
    const said = await ask('SELECT decode(key), decode(value) FROM parquet_kv_metadata(FILE)', bytes)
    expect(said).toEqual([['entity'], ['boiler']])
  })

  test('skips row groups by their bounds, and finds each row by filters', async () => {
    const schema = [...oneColumn('long', false), { name: 'tag', type: 'string', nullable: false } as const]
    const groups = [0, 1, 2].map((group) => {
      const numbers = Array.from({ length: 1000 }, (_, row) => group * 1000 + row)
      const columns = [
        columnOf('long', numbers),
        columnOf(
          'string',
          numbers.map((number) => `tag-${number}`),
        ),
      ]
      return { columns, pageEnds: [500, 1000] }
    })
    const { bytes, groups: written } = await writeFile(schema, groups)
    const counts = 'count(*) FILTER (value = 1500), count(*) FILTER (tag = $$tag-2999$$)'
    expect(await ask(`SELECT ${counts} FROM FILE`, bytes)).toEqual([[1n], [1n]])
    const damagedIn = (...damagedGroups: readonly number[]): Uint8Array => {
      const damaged = bytes.slice()
      for (const group of damagedGroups)
        for (const { offset, ends } of written[group].columns) damaged.fill(0xff, offset, offset + ends.at(-1)!)
      return damaged
    }
    expect(await ask('SELECT tag FROM FILE WHERE value = 1500', damagedIn(0, 2))).toEqual([['tag-1500']])
    // By its letters it may also be in the first group.
    expect(await ask("SELECT value FROM FILE WHERE tag = 'tag-2999'", damagedIn(1))).toEqual([[2999n]])
    await expect(ask('SELECT tag FROM FILE WHERE value = 500', damagedIn(0))).rejects.toThrow()
  })
})
