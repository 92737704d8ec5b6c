// Random filters and granularities on random rows, compared with an evaluator that processes one row at a time.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Json } from '../../src/druid-native/parse/json-reader.ts'
import { readNativeGranularity } from '../../src/druid-native/parse/read-common.ts'
import { formatTimestamp } from '../../src/druid-time/iso.ts'
import { type NativeBuckets, nativeBucketStart } from '../../src/druid-time/native-granularity.ts'
import { rounds } from '../support/rounds.ts'
import { answerOf, DuckDbEngine } from './duckdb-engine.ts'

let engine: DuckDbEngine
beforeAll(async () => {
  engine = await DuckDbEngine.open()
})
afterAll(() => engine.close())

const ask = async (query: unknown): Promise<unknown> => JSON.parse(await answerOf(query, engine, 10_000))

interface Row {
  readonly s: string | null
  readonly l: number | null
  readonly d: number | null
}

/** Null is unknown. */
type Truth = boolean | null

interface Case {
  readonly filter: object
  readonly holds: (row: Row) => Truth
}

const texts: fc.Arbitrary<string> = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'b',
  '1',
  '2',
  '10',
  '1.5',
  '-1',
  'á',
  '%',
  'a_b',
  "it's",
)
const longs = fc.integer({ min: -12, max: 12 })
const doubles = fc.integer({ min: -40, max: 40 }).map((quarters) => quarters / 4)
const row: fc.Arbitrary<Row> = fc.record({ s: fc.option(texts), l: fc.option(longs), d: fc.option(doubles) })

const not = (truth: Truth): Truth => (truth === null ? null : !truth)
const and = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true)
const or = (truths: readonly Truth[]): Truth => not(and(truths.map(not)))
const known = <Value>(value: Value | null, test: (value: Value) => boolean): Truth =>
  value === null ? null : test(value)

/** Matches a LIKE pattern character by character. */
function like(text: string, pattern: string): boolean {
  if (pattern === '') return text === ''
  const [head, rest] = [pattern[0], pattern.slice(1)]
  if (head === '%') return like(text, rest) || (text !== '' && like(text.slice(1), pattern))
  return text !== '' && (head === '_' || head === text[0]) && like(text.slice(1), rest)
}

const within = (value: number, lower: number | null, upper: number | null, strict: boolean): boolean =>
  (lower === null || (strict ? value > lower : value >= lower)) &&
  (upper === null || (strict ? value < upper : value <= upper))

const bounds = fc
  .record({ lower: fc.option(doubles), upper: fc.option(doubles), strict: fc.boolean() })
  .filter(({ lower, upper }) => lower !== null || upper !== null)

const leaf: fc.Arbitrary<Case> = fc.oneof(
  fc.option(texts).map(
    (value): Case => ({
      filter: { type: 'selector', dimension: 's', value },
      holds: ({ s }) => (value === null ? s === null : known(s, (x) => x === value)),
    }),
  ),
  fc.option(longs).map(
    (value): Case => ({
      filter: { type: 'selector', dimension: 'l', value: value === null ? null : String(value) },
      holds: ({ l }) => (value === null ? l === null : known(l, (x) => x === value)),
    }),
  ),
  doubles.map(
    (value): Case => ({
      filter: { type: 'equals', column: 'd', matchValueType: 'DOUBLE', matchValue: value },
      holds: ({ d }) => known(d, (x) => x === value),
    }),
  ),
  fc.constantFrom('s', 'l', 'd', 'nobody').map(
    (column): Case => ({
      filter: { type: 'null', column },
      holds: (one) => ((one as unknown as Record<string, unknown>)[column] ?? null) === null,
    }),
  ),
  fc.array(texts, { minLength: 1, maxLength: 4 }).map(
    (values): Case => ({
      filter: { type: 'in', dimension: 's', values },
      holds: ({ s }) => known(s, (x) => values.includes(x)),
    }),
  ),
  bounds.map(
    ({ lower, upper, strict }): Case => ({
      filter: {
        type: 'range',
        column: 'l',
        matchValueType: 'DOUBLE',
        lower,
        upper,
        lowerOpen: strict,
        upperOpen: strict,
      },
      holds: ({ l }) => known(l, (x) => within(x, lower, upper, strict)),
    }),
  ),
  bounds.map(
    ({ lower, upper, strict }): Case => ({
      filter: {
        type: 'bound',
        dimension: 'd',
        lower: lower?.toString(),
        upper: upper?.toString(),
        lowerStrict: strict,
        upperStrict: strict,
        ordering: 'numeric',
      },
      holds: ({ d }) => known(d, (x) => within(x, lower, upper, strict)),
    }),
  ),
  fc.constantFrom('%', 'a%', '%b', '_', '_b', 'a_b', '').map(
    (pattern): Case => ({
      filter: { type: 'like', dimension: 's', pattern },
      holds: ({ s }) => known(s, (x) => like(x, pattern)),
    }),
  ),
  texts.map(
    (value): Case => ({
      filter: { type: 'search', dimension: 's', query: { type: 'insensitive_contains', value } },
      holds: ({ s }) => known(s, (x) => x.toLowerCase().includes(value.toLowerCase())),
    }),
  ),
  longs.map(
    (value): Case => ({
      filter: { type: 'expression', expression: `l > ${value} || d < l` },
      holds: ({ l, d }) => or([known(l, (x) => x > value), l === null || d === null ? null : d < l]),
    }),
  ),
  longs.map(
    (value): Case => ({
      filter: { type: 'expression', expression: `nvl(l, ${value}) + 1 == strlen(s)` },
      holds: ({ l, s }) => known(s, (x) => (l ?? value) + 1 === x.length),
    }),
  ),
)

const anyCase: fc.Arbitrary<Case> = fc.letrec<{ tree: Case }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('tree').map(
      ({ filter, holds }): Case => ({ filter: { type: 'not', field: filter }, holds: (one) => not(holds(one)) }),
    ),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(
      (cases): Case => ({
        filter: { type: 'and', fields: cases.map(({ filter }) => filter) },
        holds: (one) => and(cases.map(({ holds }) => holds(one))),
      }),
    ),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map(
      (cases): Case => ({
        filter: { type: 'or', fields: cases.map(({ filter }) => filter) },
        holds: (one) => or(cases.map(({ holds }) => holds(one))),
      }),
    ),
  ),
})).tree

const eternity = ['-5000/10000']

describe('random native queries', () => {
  test('a filter returns exactly the rows that it is true for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), anyCase, async (rows, { filter, holds }) => {
        const dataSource = {
          type: 'inline',
          columnNames: ['id', 's', 'l', 'd'],
          columnTypes: ['LONG', 'STRING', 'LONG', 'DOUBLE'],
          rows: rows.map(({ s, l, d }, id) => [id, s, l, d]),
        }
        const answer = (await ask({
          queryType: 'scan',
          dataSource,
          intervals: eternity,
          columns: ['id'],
          resultFormat: 'compactedList',
          filter,
        })) as { events: [number][] }[]
        const found = answer.flatMap(({ events }) => events.map(([id]) => id)).sort((a, b) => a - b)
        expect(found).toEqual(rows.flatMap((one, id) => (holds(one) === true ? [id] : [])))
      }),
      { numRuns: rounds(120) },
    )
  })

  const zones = fc.constantFrom(
    'UTC',
    'Europe/Madrid',
    'America/Los_Angeles',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'America/Sao_Paulo',
    '-03:30',
  )
  const periods = fc.constantFrom(
    'PT1S',
    'PT15M',
    'PT1H',
    'PT6H',
    'PT5H',
    'P1D',
    'P2D',
    'P1W',
    'P2W',
    'P1M',
    'P3M',
    'P5M',
    'P1Y',
    'P1DT12H',
    'P1M10D',
  )
  const eras = [
    [1966, 1973],
    [2008, 2014],
  ] as const
  const instantIn = ([from, until]: readonly [number, number]): fc.Arbitrary<number> =>
    fc.integer({ min: Date.UTC(from, 0, 1), max: Date.UTC(until, 0, 1) - 1 })
  const timesOfAnEra = fc
    .constantFrom(...eras)
    .chain((era) => fc.record({ times: fc.array(instantIn(era), { minLength: 1, maxLength: 40 }) }))
  const origins = fc.option(
    fc
      .constantFrom(...eras)
      .chain(instantIn)
      .map((ms) => new Date(ms).toISOString()),
    { freq: 3 },
  )

  test('a groupBy counts the rows of each bucket of a period, zone and origin', async () => {
    await fc.assert(
      fc.asyncProperty(timesOfAnEra, periods, zones, origins, async ({ times }, period, timeZone, origin) => {
        const granularity = { type: 'period', period, timeZone, origin }
        const dataSource = {
          type: 'inline',
          columnNames: ['__time'],
          columnTypes: ['LONG'],
          rows: times.map((ms) => [ms]),
        }
        const answer = (await ask({
          queryType: 'groupBy',
          dataSource,
          intervals: [`${formatTimestamp(Math.min(...times))}/${formatTimestamp(Math.max(...times) + 1)}`],
          granularity,
          dimensions: [],
          aggregations: [{ type: 'count', name: 'n' }],
        })) as { timestamp: string; event: { n: number } }[]
        const read = readNativeGranularity(new Json(granularity, '')) as NativeBuckets
        const counts = new Map<number, number>()
        for (const ms of times)
          counts.set(nativeBucketStart(read, ms), (counts.get(nativeBucketStart(read, ms)) ?? 0) + 1)
        const expected = [...counts].sort(([a], [b]) => a - b).map(([ms, n]) => [formatTimestamp(ms, read.zone), n])
        expect(answer.map(({ timestamp, event }) => [timestamp, event.n])).toEqual(expected)
      }),
      { numRuns: rounds(80) },
    )
  })
})
