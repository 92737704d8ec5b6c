// Native queries that the store answers from its own columns, held against the SQL engine's answers to the same over the same rows.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readNativeQuery } from '../../src/druid-native/parse/read-query.ts'
import { answerPlan } from '../../src/druid-native/plan/answer-plan.ts'
import { planNative } from '../../src/druid-native/plan/plan-native.ts'
import { Pacer } from '../../src/lib/pacer.ts'
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../support/random-rows.ts'
import { rounds } from '../support/rounds.ts'
import { answerOf, DuckDbEngine } from './duckdb-engine.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'l', type: 'long', role: 'metric' },
  { name: 'V', type: 'double', role: 'metric' },
]
const entity: Entity = {
  id: 1,
  name: 'plant',
  fields,
  duplicates: 'keep',
  ingests: ['plant'],
  retention: null,
  sinceMs: null,
}

const texts = ['', 'a', 'b', 'ab', 'á', '\u{1f600}', '10', '9']
const longs = [0, 1, -3, 12, 9007199254740993n, 9223372036854775807n]
const doubles = [0, 1.5, -2.25, 100, 0.125, 1e12]
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)

let engine: DuckDbEngine
let directory: string
beforeAll(async () => {
  engine = await DuckDbEngine.open()
  directory = mkdtempSync(join(tmpdir(), 'tidemark-planned-'))
})
afterAll(() => {
  engine.close()
  rmSync(directory, { recursive: true, force: true })
})

const orNull = <One>(draw: Draw, values: readonly One[]): One | null => (draw(5) === 0 ? null : oneOf(draw, values))

/** The same random rows in a store and, under a name of their own, in the SQL engine. */
async function world(draw: Draw, name: string): Promise<EmbeddedStore> {
  const rows = Array.from({ length: 1 + draw(200) }, (): Value[] => [
    startMs + draw(4) * dayMs + draw(24) * 3_600_000 + draw(5) * 1000,
    oneOf(draw, texts),
    orNull(draw, ['x', 'y']),
    orNull(draw, texts),
    orNull(draw, longs),
    orNull(draw, doubles),
  ])
  const store = new EmbeddedStore()
  const columns = fields.map(({ type }, place) => {
    return columnOf(
      type,
      rows.map((row) => row[place]!),
    )
  })
  const positions = Float64Array.from(rows, (_, row) => row)
  store.write({ entityId: 1, rows: rows.length, positions, fields, columns })
  const file = join(directory, `${name}.ndjson`)
  const line = ([time, tag, site, s, l, V]: Value[]): string =>
    `{"time":"${new Date(Number(time)).toISOString()}","tag":${JSON.stringify(tag)},"site":${JSON.stringify(site)},"s":${JSON.stringify(s)},"l":${l},"V":${V}}`
  writeFileSync(file, rows.map(line).join('\n'))
  const types = { string: 'STRING', long: 'LONG', double: 'DOUBLE' } as const
  const tested = fields.slice(1).map(({ name: column, type }) => ({ name: column, type: types[type as 'string'] }))
  await engine.load(name, tested, file)
  return store
}

function filter(draw: Draw, depth = 0): object {
  const text = oneOf(draw, ['tag', 'site', 's'])
  const number = oneOf(draw, ['l', 'V'])
  const column = oneOf(draw, [text, number])
  const bound = (): string | undefined => (draw(3) === 0 ? undefined : String(oneOf(draw, [0, 1, 1.5, 7, 100, -2.25])))
  switch (draw(depth < 2 ? 10 : 7)) {
    case 0:
      return { type: 'selector', dimension: text, value: orNull(draw, texts) }
    case 1:
      return { type: 'in', dimension: column, values: [orNull(draw, texts), oneOf(draw, texts)] }
    case 2:
      return { type: 'null', column }
    case 3:
      return { type: 'equals', column: number, matchValueType: 'DOUBLE', matchValue: oneOf(draw, [1.5, 12, 0]) }
    case 4: {
      const strict = { lowerStrict: draw(2) === 0, upperStrict: draw(2) === 0 }
      const lower = orNull(draw, texts) ?? undefined
      const upper = lower === undefined ? 'b' : (orNull(draw, texts) ?? undefined)
      return { type: 'bound', dimension: text, lower, upper, ...strict, ordering: 'lexicographic' }
    }
    case 5: {
      const lower = bound()
      const upper = lower === undefined ? '7' : bound()
      return { type: 'bound', dimension: number, lower, upper, ordering: 'numeric' }
    }
    case 6: {
      const pattern = oneOf(draw, ['a%', '%b', '_', '%', '', '%_%', '1\\%', '%é%'])
      return { type: 'like', dimension: text, pattern, escape: draw(2) === 0 ? '\\' : undefined }
    }
    case 7:
      return { type: 'not', field: filter(draw, depth + 1) }
    case 8:
      return { type: 'and', fields: [filter(draw, depth + 1), filter(draw, depth + 1)] }
    default:
      return { type: 'or', fields: [filter(draw, depth + 1), filter(draw, depth + 1)] }
  }
}

const aggregations = [
  { type: 'count', name: 'n' },
  { type: 'doubleSum', name: 'sum', fieldName: 'V' },
  { type: 'longSum', name: 'longs', fieldName: 'l' },
  { type: 'doubleMin', name: 'least', fieldName: 'V' },
  { type: 'longMax', name: 'most', fieldName: 'l' },
  { type: 'doubleMax', name: 'mixed', fieldName: 'l' },
  { type: 'doubleMean', name: 'mean', fieldName: 'V' },
]
const field = (fieldName: string): object => ({ type: 'fieldAccess', fieldName })
const posts = [
  { type: 'arithmetic', name: 'ratio', fn: '/', fields: [field('sum'), field('n')] },
  { type: 'fieldAccess', name: 'copy', fieldName: 'n' },
  { type: 'constant', name: 'four', value: 4 },
  { type: 'arithmetic', name: 'less', fn: '-', fields: [field('ratio'), { type: 'constant', name: 'c', value: 2 }] },
]

function query(draw: Draw, dataSource: string): object {
  const queryType = oneOf(draw, ['timeseries', 'topN', 'groupBy'])
  const postAggregations = draw(2) === 0 ? [] : posts.slice(0, 1 + draw(posts.length))
  const needed = new Set(['n', 'sum'])
  const asked = aggregations.filter(({ name }) => needed.has(name) || draw(2) === 0)
  const from = new Date(startMs + draw(2 * 24) * 3_600_000).toISOString()
  const common = {
    queryType,
    dataSource,
    intervals: oneOf(draw, [
      ['2025-01-01/2027-01-01'],
      [`${from}/P1D`],
      ['2026-01-01/2026-01-02', '2026-01-03/2026-01-04'],
    ]),
    granularity: oneOf(draw, [
      'all',
      'hour',
      'day',
      'month',
      { type: 'period', period: 'PT2H' },
      { type: 'duration', duration: 1_500_000, origin: '2026-01-01T00:00:01Z' },
    ]),
    aggregations: asked,
    postAggregations,
    ...(draw(2) === 0 ? { filter: filter(draw) } : {}),
    context: {
      skipEmptyBuckets: draw(2) === 0,
      serializeDateTimeAsLong: draw(4) === 0,
      resultAsArray: draw(4) === 0,
      sortByDimsFirst: draw(3) === 0,
    },
  }
  const names = [...asked, ...postAggregations].map(({ name }) => name)
  if (queryType === 'timeseries') return { ...common, descending: draw(3) === 0, limit: draw(3) === 0 ? 3 : undefined }
  if (queryType === 'topN') {
    const numeric = { type: 'numeric', metric: oneOf(draw, names) }
    const byDimension = { type: 'dimension', ordering: 'lexicographic' }
    const metric = oneOf(draw, [
      numeric,
      { type: 'inverted', metric: numeric },
      byDimension,
      { type: 'inverted', metric: byDimension },
    ])
    return { ...common, dimension: oneOf(draw, ['tag', 'site', 's']), threshold: 1 + draw(5), metric }
  }
  const having = {
    type: oneOf(draw, ['greaterThan', 'lessThan', 'equalTo']),
    aggregation: oneOf(draw, names),
    value: oneOf(draw, [0, 1, 2.5]),
  }
  const columns = [...names, 'tag']
    .filter(() => draw(4) === 0)
    .map((dimension) => {
      return { dimension, direction: oneOf(draw, ['ascending', 'descending']) }
    })
  return {
    ...common,
    dimensions: ['tag', 'site', 's'].filter((dimension) => dimension === 'tag' || draw(2) === 0),
    ...(draw(3) === 0 ? { having: draw(2) === 0 ? having : { type: 'not', havingSpec: having } } : {}),
    ...(draw(2) === 0 ? { limitSpec: { type: 'default', limit: 1 + draw(20), offset: draw(3), columns } } : {}),
  }
}

/** Sums are rounded where they are added: what differs in the last digits of a double is the same. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isInteger(value)) return Number(value.toPrecision(9))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)]))
}

/** Longs keep their digits: as texts. */
const read = (text: string): unknown => rounded(JSON.parse(text.replace(/(?<=[:[,])-?\d{16,}(?=[,}\]])/g, '"$&"')))

async function planned(asked: object, store: EmbeddedStore): Promise<string | null> {
  const plan = planNative(readNativeQuery({ ...asked, dataSource: 'plant' }), () => entity)
  if (plan === null) return null
  const { signal } = new AbortController()
  const groups = await store.aggregate(plan.aggregation, signal)
  const limits = { resultRows: 100_000, buckets: 200_000 }
  const answer = await answerPlan(plan, groups!, limits, new Pacer({ sliceMs: 5, signal }))
  if (answer === null) return null
  let text = ''
  for await (const piece of answer.pieces) text += piece
  return text
}

test('random queries are answered as by the SQL engine', async () => {
  let answered = 0
  const worlds = rounds(15)
  const asked = worlds * 12
  for (let seed = 0; seed < worlds; seed++) {
    const draw = drawFrom(seed)
    const name = `rows${seed}`
    const store = await world(draw, name)
    for (let question = 0; question < 12; question++) {
      const one = query(draw, name)
      const answer = await planned(one, store)
      if (answer === null) continue
      answered++
      const expected = read(await answerOf(one, engine))
      expect({ seed, one, answer: read(answer) }).toEqual({ seed, one, answer: expected })
    }
  }
  expect(answered / asked).toBeGreaterThan(0.8)
})

test('what is made of itself again and again is worked out once', async () => {
  const store = await world(drawFrom(1), 'doubled')
  const doubled = Array.from({ length: 60 }, (_, place) => {
    const before = field(place === 0 ? 'n' : `p${place - 1}`)
    return { type: 'arithmetic', name: `p${place}`, fn: '+', fields: [before, before] }
  })
  const answer = await planned(
    {
      queryType: 'timeseries',
      intervals: ['2025-01-01/2027-01-01'],
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'n' }],
      postAggregations: doubled,
    },
    store,
  )
  const [{ result }] = JSON.parse(answer!)
  expect(result.p59 / result.n).toBe(2 ** 60)
})

test.each<[string, object]>([
  [
    'half a character, which the engine takes for another',
    { filter: { type: 'selector', dimension: 's', value: '\ud800' } },
  ],
  [
    'a number beyond all doubles under a condition',
    {
      aggregations: [{ type: 'doubleSum', name: 'v', fieldName: 'V' }],
      postAggregations: [
        {
          type: 'arithmetic',
          name: 'huge',
          fn: '*',
          fields: [
            { type: 'constant', value: 1e300 },
            { type: 'constant', value: 1e300 },
          ],
        },
      ],
      having: { type: 'greaterThan', aggregation: 'huge', value: 0 },
    },
  ],
])('%s is left to the SQL engine', async (_, more) => {
  const store = await world(drawFrom(2), `left${_.length}`)
  const asked = {
    queryType: 'groupBy',
    intervals: ['2025/2027'],
    granularity: 'all',
    dimensions: ['tag'],
    aggregations: [],
  }
  expect(await planned({ ...asked, ...more }, store)).toBeNull()
})

test('many empty buckets are left to the SQL engine', async () => {
  const store = await world(drawFrom(3), 'seconds')
  const asked = { queryType: 'timeseries', intervals: ['2025/2027'], granularity: 'second', aggregations: [] }
  expect(await planned(asked, store)).toBeNull()
})
