// Every double and every long that an answer may contain, read by all of our readers: portal, client and command line.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nativeTable } from '../../portal/src/pages/sql/native-table.ts'
import { readRows } from '../../portal/src/parts/rows-stream.ts'
import { answerTable } from '../../src/cli/answer-output.ts'
import { lineValues } from '../../src/client/line-values.ts'
import { Tidemark } from '../../src/client/tidemark.ts'
import { jsonMembers } from '../../src/lib/json-members.ts'
import { parseWithLongs, textWithLongs, withExactLongs } from '../../src/lib/json-with-longs.ts'

/** Doubles of 64 random bits, so that all exponents are equally likely, and those that fast-check considers likely to fail. */
const doubles = fc.oneof(
  fc
    .bigInt({ min: 0n, max: 2n ** 64n - 1n })
    .map((bits) => new Float64Array(BigUint64Array.of(bits).buffer)[0]!)
    .filter(Number.isFinite),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  // The range of readings and their averages.
  fc.double({ min: -1000, max: 1000, noNaN: true }),
)

/** A double as the service, Druid and other programs write it. */
const doubleTexts = fc
  .tuple(
    doubles,
    fc.constantFrom<(value: number) => string>(
      JSON.stringify,
      (value) => value.toExponential(),
      (value) => value.toExponential(16).replace('e+', 'E'),
      (value) => value.toPrecision(17),
      (value) => (Math.abs(value) < 1e21 ? value.toFixed(20) : JSON.stringify(value)),
    ),
  )
  .map(([value, write]) => write(value))

const longTexts = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)

/** Strings that look like numbers, mixed with real numbers. */
const words = fc.oneof(fc.string(), longTexts, doubleTexts, fc.constantFrom('"', '\\', '1.2345678901234567,"x":9'))

const row = fc.record({ n: fc.oneof(doubleTexts, longTexts), t: words })
const texts = fc.array(row, { minLength: 1, maxLength: 4 })

const objectOf = ({ n, t }: { readonly n: string; readonly t: string }): string =>
  `{"t":${JSON.stringify(t)},"n":${n},"u":${JSON.stringify(t)}}`

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

/** The exact value: a bigint for an integer that a double cannot represent. */
function exact(text: string): number | bigint {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? BigInt(text) : Number(text)
}

type Table = Awaited<ReturnType<typeof readRows>>
const column = (table: Table | null, name: string): unknown[] =>
  table!.rows.map((values) => values[table!.columns.indexOf(name)])

type Rows = readonly { readonly n: string; readonly t: string }[]
interface Read {
  readonly n: readonly unknown[]
  readonly t: readonly unknown[]
}

const listOf = (rows: Rows): string => `[${rows.map(objectOf).join()}]`
const linesOf = (rows: Rows): string => rows.map((one) => `${objectOf(one)}\n`).join('')
const client = (body: string): Tidemark =>
  new Tidemark({
    url: 'http://service',
    fetch: async () => new Response(body, { headers: { 'content-type': 'application/json' } }),
  })
const members = (items: readonly object[]): Read => ({
  n: items.map((item) => Reflect.get(item, 'n')),
  t: items.map((item) => Reflect.get(item, 't')),
})

/** The readers, with how each reads rows and the value that it must return for a number. */
const readers: readonly (readonly [
  name: string,
  read: (rows: Rows) => Promise<Read> | Read,
  wanted: (text: string) => unknown,
])[] = [
  [
    'rows in the portal',
    async (rows) => {
      const table = await readRows(bytes(linesOf(rows)), () => undefined)
      return { n: column(table, 'n'), t: column(table, 't') }
    },
    exact,
  ],
  [
    'a native response in the portal',
    (rows) => {
      const table = nativeTable(parseWithLongs(`[{"timestamp":"x","result":${listOf(rows)}}]`))
      return { n: column(table, 'n'), t: column(table, 't') }
    },
    exact,
  ],
  [
    'an item that the portal pushes again',
    (rows) => members(JSON.parse(textWithLongs(parseWithLongs(listOf(rows))))),
    // JSON.stringify writes both zeros in the same way.
    (text) => Number(text) + 0,
  ],
  ['rows in the client', async (rows) => members(await collected(lineValues<object>(bytes(linesOf(rows))))), Number],
  ['an SQL response in the client', async (rows) => members(await client(listOf(rows)).sql('')), Number],
  [
    'a native response in the client',
    async (rows) => members(await client(listOf(rows)).native({ queryType: 'scan' })),
    Number,
  ],
  [
    'a row in the command line',
    (rows) => {
      const read = rows.map((one) => jsonMembers(objectOf(one)))
      return { n: read.map((list) => list[1]!.value), t: read.map((list) => JSON.parse(list[0]!.value)) }
    },
    (text) => text,
  ],
  [
    'a response of Druid',
    (rows) => members(JSON.parse(withExactLongs(listOf(rows)))),
    (text) => (typeof exact(text) === 'bigint' ? text : Number(text)),
  ],
]

test.each(readers)('%s: each finite double and each long is read as it was written', async (_, read, wanted) => {
  await fc.assert(
    fc.asyncProperty(texts, async (rows) => {
      const { n, t } = await read(rows)
      expect(t).toEqual(rows.map(({ t }) => t))
      expect(n).toEqual(rows.map(({ n }) => wanted(n)))
    }),
    { numRuns: 2000 },
  )
})

test('the table of the command line shows each number as it was written', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(doubleTexts, longTexts), { minLength: 1, maxLength: 4 }), (numbers) => {
      const table = answerTable(new TextEncoder().encode(`[${numbers.map((n) => `{"n":${n}}`).join()}]`))
      expect(table.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(numbers))
    }),
    { numRuns: 1000 },
  )
})

test('a long is parsed and written again with all its digits', () => {
  fc.assert(
    fc.property(longTexts, (digits) => {
      expect(textWithLongs(parseWithLongs(`{"a":[${digits},"${digits}"]}`))).toBe(`{"a":[${digits},"${digits}"]}`)
    }),
  )
})
