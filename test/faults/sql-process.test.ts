// The SQL engine's process: its limits, its death and its restart, over Parquet files of a folder.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UnsentAnswers } from '../../src/answer/unsent-answers.ts'
import { sqlTable } from '../../src/druid-sql/bind/tables.ts'
import { translateSql } from '../../src/druid-sql/translate.ts'
import type { AnswerFormat } from '../../src/model/answer-format.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { LongOverflow } from '../../src/sql-engine/sql-engine.ts'
import { launchEngine } from '../../src/sql-process/main-side/launch.ts'
import { SqlProcess } from '../../src/sql-process/main-side/sql-process.ts'
import type { SqlProcessData } from '../../src/sql-process/protocol.ts'

const entry = fileURLToPath(new URL('../../dist/sql-process/worker-side/entry.js', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'tidemark-sql-process-'))
const fields: readonly EntityField[] = [
  { name: 'D', type: 'timestamp', role: 'time' },
  { name: 'T', type: 'string', role: 'tag' },
  { name: 'ok', type: 'boolean', role: 'dimension' },
  { name: 'late', type: 'double', role: 'metric' },
  { name: 'V', type: 'long', role: 'metric' },
]
const table = sqlTable({ id: 7, name: 'rows', fields })
const rows = 100_000
const unlimited = { resultRows: 1_000_000, resultBytes: 2 ** 28 }
const deaths: string[] = []
/** Messages of the engine that the caller did not receive. */
const refusals: string[] = []
let engine: SqlProcess

const dataIn = (folder: string): SqlProcessData => ({
  engine: {
    directories: [directory],
    temporaryDirectory: join(folder, 'temporary'),
    temporaryBytes: 16 * 2 ** 20,
    memoryBytes: 128 * 2 ** 20,
    textBytes: 96 * 2 ** 20,
    threads: 2,
  },
  spoolDirectory: join(folder, 'spool'),
  residentBytes: 600 * 2 ** 20,
  timeZones: null,
})

beforeAll(async () => {
  const maker = await DuckDBInstance.create(':memory:')
  const connection = await maker.connect()
  const time = "TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_seconds(i)"
  const columns = `${time} AS "D", 't' || i % 10 AS "T", i % 3 = 0 AS "ok", i + 9007199254740990 AS "V"`
  await connection.run(`COPY (SELECT ${columns} FROM range(${rows}) AS r(i)) TO '${join(directory, 'a.parquet')}'`)
  maker.closeSync()
  engine = new SqlProcess({
    entryUrl: pathToFileURL(entry),
    launch: launchEngine,
    data: dataIn(directory),
    apart: dataIn(join(directory, 'apart')),
    dataBytes: 1200 * 2 ** 20,
    poolThreads: 8,
    restartDelayMs: 10,
    idleMs: 600_000,
    cancelMs: 2000,
    started: () => undefined,
    refused: (message) => refusals.push(message),
    unsent: new UnsentAnswers({ answerMemoryBytes: 2 ** 20, memoryBytes: 2 ** 24, fileBytes: 2 ** 28 }),
    died: (message) => deaths.push(message),
  })
})
afterAll(async () => {
  await engine.close()
  rmSync(directory, { recursive: true })
})

async function ask(
  text: string,
  format: AnswerFormat = 'json',
  limits = unlimited,
  signal = new AbortController().signal,
): Promise<string> {
  const checked = translateSql(text, [table])
  const columns = checked.columns.map(({ name, type }): EntityField => ({ name, type, role: 'dimension' }))
  const held = { fields: ['D', 'T', 'ok', 'V'], firstMs: 0, lastMs: Number.POSITIVE_INFINITY, isDistinct: true }
  const files = [{ path: join(directory, 'a.parquet'), checkedBy: null, ...held }]
  const tables = checked.entityIds.map((entityId) => ({
    entityId,
    fields: fields.map(({ name, type }) => ({ name, type: type as 'long' })),
    files,
    sinceMs: null,
    replacesBy: null,
  }))
  const query = { text: checked.text, types: checked.columns.map(({ type }) => type), tables }
  const answer = await engine.run({ query, fields: columns, format, limits }, signal)
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.chunks) chunks.push(Uint8Array.from(chunk))
    return Buffer.concat(chunks).toString()
  } finally {
    answer.release()
  }
}

/** A query too long for any test of this file to wait for. */
const endless = 'SELECT COUNT(*) AS n FROM "rows" a CROSS JOIN "rows" b CROSS JOIN "rows" c WHERE a.V + b.V + c.V = 5'

describe('results', () => {
  test('rows of a file: a missing field is null, booleans are 0 and 1, longs keep every digit', async () => {
    expect(await ask('SELECT * FROM "rows" ORDER BY __time LIMIT 2')).toBe(
      '[{"__time":"2026-01-01T00:00:00.000Z","T":"t0","ok":1,"late":null,"V":9007199254740990},' +
        '{"__time":"2026-01-01T00:00:01.000Z","T":"t1","ok":0,"late":null,"V":9007199254740991}]',
    )
    expect(await ask('SELECT MAX(V) AS v FROM "rows"')).toBe('[{"v":9007199254840989}]')
  })

  test('CSV and NDJSON', async () => {
    expect(await ask('SELECT T, COUNT(*) AS n FROM "rows" GROUP BY T LIMIT 1', 'csv')).toBe('T,n\r\nt0,10000\r\n')
    expect(await ask("SELECT 1 AS a, 'x' AS b", 'ndjson')).toBe('{"a":1,"b":"x"}\n')
  })

  test('a long result is passed through a file', async () => {
    const lines = (await ask('SELECT __time, T, V FROM "rows"', 'ndjson')).trimEnd().split('\n')
    expect(lines).toHaveLength(rows)
  })
})

describe('limits', () => {
  test('rows and bytes of a result are limited', async () => {
    await expect(ask('SELECT V FROM "rows"', 'json', { ...unlimited, resultRows: 99_999 })).rejects.toMatchObject({
      code: 'result_too_large',
    })
    await expect(ask('SELECT V FROM "rows"', 'json', { ...unlimited, resultBytes: 1000 })).rejects.toMatchObject({
      code: 'result_too_large',
    })
    expect(JSON.parse(await ask('SELECT V FROM "rows"', 'json', { ...unlimited, resultRows: 100_000 }))).toHaveLength(
      rows,
    )
  })

  test('a query out of memory fails alone', async () => {
    const greedy = ask('SELECT ARRAY_AGG(a.T || b.T) AS x FROM "rows" a JOIN "rows" b ON a.T = b.T')
    await expect(greedy).rejects.toMatchObject({ code: 'result_too_large' })
    expect(await ask('SELECT COUNT(*) AS n FROM "rows"')).toBe('[{"n":100000}]')
    expect(deaths).toEqual([])
  })

  test('an aborted query ends, and others are answered meanwhile', async () => {
    const controller = new AbortController()
    const run = ask(endless, 'json', unlimited, controller.signal)
    expect(await ask('SELECT COUNT(*) AS n FROM "rows"')).toBe('[{"n":100000}]')
    controller.abort(new Error('time is over'))
    await expect(run).rejects.toThrow('time is over')
  })
})

test.each([
  ['SELECT REGEXP_LIKE(T, \'(?=a)\') FROM "rows" LIMIT 1', /regular expression/],
  ['SELECT 1 / (V - V) FROM "rows" LIMIT 1', /divided by zero/],
  ['SELECT (SELECT T FROM "rows") AS x', /more than one row/],
  ["SELECT JSON_VALUE(PARSE_JSON('{'), '$.a')", /a string is not JSON/],
])('an error detected only at run time is an invalid request: %s', async (text, message) => {
  await expect(ask(text)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) })
})

test('an integer result beyond a long raises LongOverflow', async () => {
  await expect(ask('SELECT V * V AS x FROM "rows" LIMIT 1')).rejects.toBeInstanceOf(LongOverflow)
})

test("SQL that was not validated is refused by the engine's own check", async () => {
  const run = (text: string, id = 7) => {
    const tables = [
      { entityId: id, fields: [{ name: 'D', type: 'timestamp' as const }], files: [], sinceMs: null, replacesBy: null },
    ]
    return engine.run(
      { query: { text, types: ['string'], tables }, fields: [], format: 'json', limits: unlimited },
      new AbortController().signal,
    )
  }
  for (const text of [
    "SELECT content FROM read_text('/etc/passwd')",
    `SELECT * FROM '${join(directory, 'a.parquet')}'`,
    "COPY (SELECT 1) TO 'x.csv'",
    'SELECT * FROM duckdb_settings()',
    "SELECT current_setting('threads')",
    'SELECT * FROM entity_8',
    'SELECT 1; SELECT 2',
    "SELECT * FROM query('SELECT 1')",
    'SELECT * FROM information_schema.tables',
    "ATTACH 'x.db'",
  ]) {
    refusals.length = 0
    await expect(run(text)).rejects.toThrow(/not supported here/)
    expect(refusals).toEqual([expect.stringMatching(/written for the engine/)])
  }
})

describe('an engine process that ends while queries run', () => {
  test('killed: running queries are run again, and new queries wait', async () => {
    expect(await ask('SELECT 1 AS x')).toBe('[{"x":1}]')
    const before = deaths.length
    const asked = sleeping()
    const first = ask('SELECT COUNT(*) AS n FROM "rows" a JOIN "rows" b ON a.T = b.T WHERE a.V < 9007199254743990')
    await sleep(100)
    process.kill(engine.processId!, 'SIGKILL')
    expect(await first).toBe('[{"n":30000000}]')
    expect(await ask('SELECT 1 AS x')).toBe('[{"x":1}]')
    await asked.stop()
    expect(deaths.slice(before)).toEqual([expect.stringContaining('SIGKILL')])
  })

  /** Queries past the bound on used memory, past the system's bound in one step, and past the engine's own count. */
  test.each([
    [
      'vectors',
      `SELECT SUM(LENGTH(${Array.from({ length: 60 }, () => 'REVERSE(d)').join(' || ')})) AS n FROM (SELECT LPAD(T, 20000, T) AS d FROM "rows")`,
    ],
    ['lists', 'SELECT ARRAY_AGG(a.T || b.T) AS x FROM "rows" a JOIN "rows" b ON a.T = b.T'],
  ])(
    'out of memory (%s): the query responsible fails, and concurrent queries are answered',
    async (_name, bomb) => {
      const neighbours: Promise<string>[] = []
      const reported = ask(bomb).catch((error: unknown) => error)
      for (let round = 0; round < 20; round++) {
        neighbours.push(ask('SELECT COUNT(*) AS n FROM "rows" WHERE LENGTH(T) = 2'))
        await sleep(50)
      }
      expect(await reported).toMatchObject({ code: 'result_too_large' })
      for (const answer of await Promise.all(neighbours)) expect(answer).toBe('[{"n":100000}]')
    },
    120_000,
  )
})

/** A query that runs until it is stopped. */
function sleeping(): { readonly stop: () => Promise<void> } {
  const controller = new AbortController()
  const run = ask(endless, 'json', unlimited, controller.signal).catch(() => undefined)
  return {
    stop: async () => {
      controller.abort(new Error('stopped'))
      await run
    },
  }
}
