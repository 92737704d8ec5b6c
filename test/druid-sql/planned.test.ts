// Queries of SQL that the store answers from its own columns, held against the SQL engine's answers to the same over the same rows.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeRows } from '../../src/answer/store-rows.ts'
import type { StoredAnswer } from '../../src/answer/stored-answer.ts'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { planSql } from '../../src/druid-sql/plan/plan-sql.ts'
import { runSqlPlan } from '../../src/druid-sql/plan/run-sql-plan.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import { nodeDisk } from '../../src/lib/node-disk.ts'
import type { AnswerFormat } from '../../src/model/answer-format.ts'
import type { Value } from '../../src/model/column.ts'
import type { Entity, EntityField } from '../../src/model/entity.ts'
import { DuckdbEngine } from '../../src/sql-engine/duckdb/duckdb-engine.ts'
import { engineTable } from '../../src/sql-engine/entity-table.ts'
import { LongOverflow, type SqlEngine } from '../../src/sql-engine/sql-engine.ts'
import { Snapshots } from '../../src/store/embedded/deltas/snapshots.ts'
import { EmbeddedStore } from '../../src/store/embedded/embedded-store.ts'
import { columnOf, type Draw, drawFrom, oneOf } from '../support/random-rows.ts'

const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'tag', type: 'string', role: 'tag' },
  { name: 'site', type: 'string', role: 'tag' },
  { name: 's', type: 'string', role: 'dimension' },
  { name: 'l', type: 'long', role: 'metric' },
  { name: 'k', type: 'long', role: 'metric' },
  { name: 'V', type: 'double', role: 'metric' },
  { name: 'none', type: 'double', role: 'metric' },
  { name: 'b', type: 'boolean', role: 'dimension' },
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

const texts = ['', 'a', 'b', 'ab', 'á', "o'b", '\u{1f600}', '10', '%']
const longs = [0, 1, -3, 12, 9007199254740993n, -9223372036854775808n, 9223372036854775807n]
/** Their sums are the same in any order. */
const doubles = [0, 1.5, -2.25, 100, 0.125, 1e6]
const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)
const nowMs = startMs + 2 * dayMs + 3_600_000
const { signal } = new AbortController()

const directory = mkdtempSync(join(tmpdir(), 'tidemark-planned-sql-'))
const deltas = join(directory, 'deltas')
let engine: SqlEngine
beforeAll(async () => {
  await nodeDisk.makeDirectory(deltas)
  engine = await DuckdbEngine.open({
    directories: [directory],
    temporaryDirectory: join(directory, 'temporary'),
    temporaryBytes: 2 ** 28,
    memoryBytes: 2 ** 28,
    textBytes: 2 ** 26,
    threads: 1,
  })
})
afterAll(() => {
  engine.close()
  rmSync(directory, { recursive: true })
})

const orNull = <One>(draw: Draw, values: readonly One[]): One | null => (draw(5) === 0 ? null : oneOf(draw, values))
let names = 0

interface World {
  readonly store: EmbeddedStore
  readonly snapshots: Snapshots
}

function world(draw: Draw, count = 1 + draw(200)): World {
  const rows = Array.from({ length: count }, (): Value[] => [
    startMs + draw(4) * dayMs + draw(24) * 3_600_000 + draw(5) * 1000,
    oneOf(draw, texts),
    orNull(draw, ['x', 'y']),
    orNull(draw, texts),
    orNull(draw, longs),
    orNull(draw, [1, 2, -7, 4_000_000]),
    orNull(draw, doubles),
    null,
    orNull(draw, [true, false]),
  ])
  const store = new EmbeddedStore()
  const columns = fields.map(({ type }, place) =>
    columnOf(
      type,
      rows.map((row) => row[place]!),
    ),
  )
  if (count > 0) {
    const positions = Float64Array.from(rows, (_, row) => row)
    store.write({ entityId: 1, rows: rows.length, positions, fields, columns })
  }
  const snapshots = new Snapshots({
    store,
    folder: { disk: nodeDisk, directory: deltas, newName: () => String(names++), filesMax: 3 },
    describe: () => {
      throw new Error('nothing is sealed')
    },
    sliceMs: 5,
    removalFailed: (path, error) => {
      throw new Error(path, { cause: error })
    },
  })
  return { store, snapshots }
}

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
const instant = (draw: Draw): string =>
  new Date(startMs + draw(4 * 24) * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')

function timeBound(draw: Draw): string {
  const at = instant(draw)
  return oneOf(draw, [
    `__time >= TIMESTAMP '${at}'`,
    `__time > '${at}'`,
    `'${at}' > __time`,
    `__time <= '${at.replace(' ', 'T')}Z'`,
    `__time BETWEEN '2026-01-02' AND '${at}'`,
    "TIME_IN_INTERVAL(__time, '2026-01-01T12:00/P2D')",
    `__time < TIMESTAMP '${at}' + INTERVAL '1' DAY`,
    "__time >= DATE '2026-01-02' - INTERVAL '90' MINUTE",
    `__time = '${at}'`,
    `__time > MILLIS_TO_TIMESTAMP(${startMs})`,
  ])
}

function condition(draw: Draw, depth = 0): string {
  const column = oneOf(draw, ['tag', 'site', 's', '"s"', 'plant.tag'])
  const number = oneOf(draw, ['l', 'k', 'V', '"none"'])
  const constant = oneOf(draw, ['0', '1', '1.5', '-3', '12', '100', '-2.25', '1e2'])
  const operator = oneOf(draw, ['=', '<>', '<', '<=', '>', '>='])
  const negated = draw(3) === 0 ? 'NOT ' : ''
  switch (draw(depth < 2 ? 12 : 9)) {
    case 0:
      return `${column} ${operator} ${text(oneOf(draw, texts))}`
    case 1:
      return `${column} ${negated}IN (${text(oneOf(draw, texts))}, ${text(oneOf(draw, texts))}, 'x')`
    case 2:
      return `${oneOf(draw, [column, number])} IS ${negated}NULL`
    case 3:
      return `${number} ${operator} ${constant}`
    case 4:
      return `${constant} ${operator} ${number}`
    case 5:
      return `${number} ${negated}BETWEEN ${constant} AND 50`
    case 6:
      return `${column} ${negated}LIKE ${oneOf(draw, ["'a%'", "'%b'", "'_'", "'%'", "''", "'%_%'", "'a\\%' ESCAPE '\\'", "'o''%'"])}`
    case 7:
      return `${number} ${negated}IN (${constant}, 7, 1)`
    case 8:
      return oneOf(draw, ['1 = 1', 'TRUE', '1 <> 1', 'FALSE'])
    case 9:
      return `NOT (${condition(draw, depth + 1)})`
    case 10:
      return `(${condition(draw, depth + 1)} AND ${condition(draw, depth + 1)})`
    default:
      return `(${condition(draw, depth + 1)} OR ${condition(draw, depth + 1)})`
  }
}

/** What no number is calculated of. */
const ends = ['LATEST(s)', 'EARLIEST(s)', 'MAX(__time)', 'MIN(__time)', 'LATEST(V)', 'EARLIEST(V)', 'LATEST(l)']
const aggregates = [
  'COUNT(*)',
  'COUNT(V)',
  'COUNT(l)',
  'SUM(V)',
  'SUM(l)',
  'SUM(k)',
  'AVG(V)',
  'AVG(k)',
  'MIN(V)',
  'MAX(V)',
  'MIN(l)',
  'MAX(l)',
  'MAX("none")',
  'SUM("none")',
  'LATEST(V)',
  'EARLIEST(l)',
  'LATEST(k)',
]
const buckets = [
  'FLOOR(__time TO HOUR)',
  "TIME_FLOOR(__time, 'PT1H')",
  "TIME_FLOOR(__time, 'P1D')",
  "TIME_FLOOR(__time, 'PT7M', NULL, 'Etc/UTC')",
  "DATE_TRUNC('day', __time)",
  "DATE_TRUNC('HOUR', __time)",
  'FLOOR(__time TO MONTH)',
  'FLOOR(__time TO WEEK)',
  'FLOOR(__time TO MINUTE)',
  "TIME_FLOOR(__time, 'P1M')",
  "DATE_TRUNC('century', __time)",
]

function value(draw: Draw, depth = 0): string {
  if (depth > 1 || draw(3) > 0) return oneOf(draw, aggregates)
  switch (draw(4)) {
    case 0:
      return `(${value(draw, depth + 1)} ${oneOf(draw, ['+', '-', '*', '/'])} ${value(draw, depth + 1)})`
    case 1:
      return `${value(draw, depth + 1)} ${oneOf(draw, ['+', '-', '*', '/'])} ${oneOf(draw, ['2', '1.5', '-3'])}`
    case 2:
      return `-${oneOf(draw, aggregates)}`
    default:
      return `3 * ${value(draw, depth + 1)}`
  }
}

function having(draw: Draw): string {
  const compared = `${value(draw)} ${oneOf(draw, ['>', '<', '>=', '=', '<>'])} ${oneOf(draw, ['0', '1', '2.5', 'COUNT(*)'])}`
  return oneOf(draw, [
    compared,
    `NOT (${compared})`,
    `${compared} AND COUNT(*) > 1`,
    `${compared} OR SUM(V) IS NULL`,
    `AVG(V) BETWEEN -1 AND 60`,
  ])
}

function query(draw: Draw): string {
  const keys = ['tag', 'site', 's'].filter(() => draw(3) === 0)
  const grouped = draw(2) === 0 ? [...keys, oneOf(draw, buckets)] : keys
  if (draw(2) === 0) grouped.reverse()
  const isDistinct = draw(8) === 0 && grouped.length > 0
  const shown = grouped.filter(() => isDistinct || draw(5) > 0)
  const length = draw(4) + (shown.length === 0 ? 1 : 0)
  const areEnds = draw(4) === 0
  const one = (): string => (areEnds || draw(6) === 0 ? oneOf(draw, ends) : value(draw))
  const values = isDistinct ? [] : Array.from({ length }, one)
  const items = [...shown, ...values]
  const named = items.map((item, at) => `${item} AS c${at}`)
  const conditions = Array.from({ length: draw(3) }, () => (draw(2) === 0 ? timeBound(draw) : condition(draw)))
  const from = oneOf(draw, ['plant', 'druid.plant', 'plant AS plant'])
  const by = grouped.map((key) => {
    const at = shown.indexOf(key)
    return at === -1 ? key : oneOf(draw, [key, String(at + 1), `c${at}`])
  })
  const order = [
    ...items.map((_, at) => (draw(2) === 0 ? `c${at}` : String(at + 1))),
    ...(isDistinct ? [] : [value(draw)]),
  ]
    .filter(() => draw(3) === 0)
    .map((key) => `${key}${oneOf(draw, ['', ' ASC', ' DESC', ' DESC', ' NULLS FIRST', ' DESC NULLS LAST'])}`)
  return [
    `SELECT ${isDistinct ? 'DISTINCT ' : ''}${named.join(', ')} FROM ${from}`,
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(' AND ')}`]),
    ...(isDistinct || by.length === 0 ? [] : [`GROUP BY ${by.join(', ')}`]),
    ...(isDistinct || draw(4) > 0 ? [] : [`HAVING ${having(draw)}`]),
    ...(order.length === 0 || grouped.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...(draw(3) === 0 ? [`LIMIT ${draw(6)}`] : []),
    ...(draw(6) === 0 ? [`OFFSET ${draw(3)}`] : []),
  ].join(' ')
}

const room = { free: () => 2 ** 28 } as never
const settings = { sliceMs: 5, spoolDirectory: directory }
const limits = { resultRows: 100_000, resultBytes: 2 ** 26 }

function bodyOf(answer: StoredAnswer): string {
  if (answer.body.kind !== 'memory') throw new Error('small answers stay in memory')
  return Buffer.concat(answer.body.chunks).toString()
}

/** Null where the SQL engine is asked. */
async function planned(asked: string, { store }: World, format: AnswerFormat = 'json'): Promise<string | null> {
  const plan = planSql({ text: asked }, translateSql(asked, [sqlTable(entity)]), entity, nowMs)
  const answer = plan === null ? null : await runSqlPlan(store, { plan, format, limits, room }, settings, signal)
  return answer === null ? null : bodyOf(answer)
}

async function byEngine(asked: string, { snapshots }: World, format: AnswerFormat = 'json'): Promise<string> {
  const { entities, release } = await snapshots.take([1], signal)
  const run = async (wraps: boolean): Promise<string> => {
    const { text: engineText, columns } = translateSql(asked, [sqlTable(entity)], { wraps })
    const tables = [engineTable(entity, entities[0]?.files ?? [])]
    const batches = engine.run({ text: engineText, types: columns.map(({ type }) => type), tables }, limits, signal)
    const shown = columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' }))
    return bodyOf(await storeRows({ fields: shown, batches }, { format, ...limits, room }, settings, signal))
  }
  try {
    return await run(false).catch((error: unknown) => {
      if (error instanceof LongOverflow) return run(true)
      throw error
    })
  } finally {
    release()
  }
}

/** What is 0 below it is 0, on whichever side; which of two equal zeros is the least is nobody's matter. */
const read = (body: string | null): string | null => body?.replace(/-0(?:\.0)?(?=[,}\r\n])/g, '0.0') ?? null

test('random queries are answered as by the SQL engine, byte for byte', async () => {
  let answered = 0
  let asked = 0
  for (let seed = 0; seed < 12; seed++) {
    const draw = drawFrom(seed)
    const rows = world(draw, seed === 0 ? 0 : undefined)
    for (let question = 0; question < 25; question++) {
      const one = query(draw)
      const format = oneOf(draw, ['json', 'csv'] as const)
      asked++
      const answer = await planned(one, rows, format)
      if (answer === null) continue
      answered++
      expect({ seed, one, answer: read(answer) }).toEqual({
        seed,
        one,
        answer: read(await byEngine(one, rows, format)),
      })
    }
  }
  expect(answered / asked).toBeGreaterThan(0.8)
})

describe('panels of dashboards', () => {
  test.each([
    "SELECT FLOOR(__time TO HOUR) AS h, AVG(V) AS mean, MAX(V) AS high, MIN(V) AS low FROM plant WHERE tag = 'a' AND __time >= '2026-01-02' AND __time < '2026-01-03' GROUP BY 1 ORDER BY 1",
    'SELECT tag, AVG(V) AS mean FROM plant GROUP BY tag ORDER BY mean DESC LIMIT 10',
    "SELECT site, TIME_FLOOR(__time, 'P1D') AS d, COUNT(*) AS n, SUM(V) AS v FROM plant GROUP BY site, TIME_FLOOR(__time, 'P1D')",
    'SELECT COUNT(*) AS n FROM plant',
    'SELECT FLOOR(__time TO HOUR) AS h, MAX(V) AS high FROM plant GROUP BY FLOOR(__time TO HOUR) HAVING MAX(V) > 90 ORDER BY h',
    "SELECT tag, COUNT(*) AS n FROM plant WHERE __time >= CURRENT_TIMESTAMP - INTERVAL '1' DAY AND 1 = 1 GROUP BY tag",
    'SELECT tag, LATEST(V) AS v FROM plant GROUP BY tag ORDER BY tag',
    'SELECT tag, MAX(__time) AS latest, LATEST(V) AS v FROM plant WHERE V IS NOT NULL GROUP BY tag ORDER BY latest DESC LIMIT 5',
    "SELECT COUNT(*), SUM(V) FROM plant p WHERE p.tag IN ('a', 'b')",
  ])('%s', async (asked) => {
    const rows = world(drawFrom(7))
    const answer = await planned(asked, rows)
    expect(answer).not.toBeNull()
    if (!asked.includes('CURRENT')) expect(read(answer)).toBe(read(await byEngine(asked, rows)))
  })
})

describe('longs go round in conditions as in answers', () => {
  const rows = world(drawFrom(7), 200)

  test.each([
    ['MAX(l) + 1', '< 0'],
    ['1 + MAX(l)', '= -9223372036854775808'],
    ['MIN(l) - 1', '> 9007199254740993'],
    ['0 - MIN(l)', '< 0'],
    ['MAX(l) * 2', '= -2'],
    ['-MIN(l)', '< 0'],
  ])('HAVING %s %s', async (value, condition) => {
    for (const having of [value, 'g']) {
      const asked = `SELECT ${value} AS g FROM plant HAVING ${having} ${condition}`
      const answer = await byEngine(asked, rows)
      expect(JSON.parse(answer)).toHaveLength(1)
      expect(await planned(asked, rows)).toBe(answer)
    }
  })

  test.each([
    ['FROM plant WHERE l + 1 < 0 AND l > 0', 'l = 9223372036854775807'],
    ['FROM plant WHERE l * 2 BETWEEN -2 AND -1', 'l = 9223372036854775807'],
    ['FROM plant WHERE l - 1 = 9223372036854775807', 'l = -9223372036854775808'],
    ['FROM (SELECT l + 1 AS g FROM plant) WHERE g = -9223372036854775808', 'l = 9223372036854775807'],
    ['FROM plant AS a JOIN (VALUES (0)) AS v(x) ON a.l + 1 < v.x AND a.l > 0', 'l = 9223372036854775807'],
  ])('%s', async (from, same) => {
    const expected = await byEngine(`SELECT COUNT(*) AS n FROM plant WHERE ${same}`, rows)
    expect(expected).not.toBe('[{"n":0}]')
    expect(await byEngine(`SELECT COUNT(*) AS n ${from}`, rows)).toBe(expected)
  })
})

test.each([
  'SELECT * FROM plant LIMIT 1',
  'SELECT tag, V FROM plant',
  'SELECT COUNT(DISTINCT tag) FROM plant',
  "SELECT SUM(V) FILTER (WHERE tag = 'a') FROM plant",
  'SELECT SUM(l) / 0 FROM plant',
  'SELECT SUM(V) / 0 FROM plant',
  'SELECT MAX(l) / COUNT(l) FROM plant WHERE FALSE',
  'SELECT b, COUNT(*) FROM plant GROUP BY b',
  'SELECT SUM(b) FROM plant',
  'SELECT a.tag, COUNT(*) FROM plant a JOIN plant b ON a.tag = b.tag GROUP BY a.tag',
  'SELECT tag, COUNT(*) FROM plant GROUP BY ROLLUP (tag)',
  'SELECT COUNT(*) FROM (SELECT tag FROM plant) x',
  'WITH plant AS (SELECT 1 AS V) SELECT SUM(V) FROM plant',
  'SELECT SUM(V) OVER () FROM plant',
  "SELECT tag, COUNT(*) FROM plant WHERE __time < '2026-01-02' OR tag = 'a' GROUP BY tag",
  "SELECT TIME_FLOOR(__time, 'PT1H', NULL, 'Europe/Madrid'), COUNT(*) FROM plant GROUP BY 1",
  "SELECT COUNT(*) FROM plant WHERE tag = 'a' OR tag = NULL",
  'SELECT COUNT(*) FROM plant WHERE l < 9007199254740993',
  "SELECT COUNT(*) FROM plant WHERE V = '1.5'",
  'SELECT 2 * 3, COUNT(*) FROM plant',
])('%s is left to the SQL engine', async (asked) => {
  expect(await planned(asked, world(drawFrom(2)))).toBeNull()
})
