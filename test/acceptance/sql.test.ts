// SQL over HTTP: answers, access and refused queries, with the engine in a separate process.

import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fuzzedText } from '../druid-sql/fuzzed-text.ts'
import { hostileTexts } from '../druid-sql/hostile-texts.ts'
import { call, callOk } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { rounds } from '../support/rounds.ts'
import { adminKey } from '../support/server-process.ts'
import {
  askSql,
  checkReply,
  hiddenEntity,
  hiddenTag,
  rowsOf,
  type SqlReply,
  type SqlWorld,
  sqlWorld,
} from '../support/sql-world.ts'

let world: SqlWorld
beforeAll(async () => {
  world = await sqlWorld({
    'limits.resultRows': '5000',
    'sql.memoryBytes': String(96 * 2 ** 20),
    'sql.temporaryBytes': String(16 * 2 ** 20),
  })
})
afterAll(() => world?.service.close())

const ask = (text: string, headers?: Readonly<Record<string, string>>): Promise<SqlReply> =>
  askSql(world, world.readerKey, text, headers)
const rowsFor = async (text: string, key = world.readerKey): Promise<unknown> => {
  const { status, text: body } = await askSql(world, key, text)
  expect([status, body]).toMatchObject([200, expect.any(String)])
  return JSON.parse(body)
}

describe('results', () => {
  test('include rows of files and of memory, up to the newest', async () => {
    expect(await rowsFor('SELECT COUNT(*) AS n, MAX(__time) AS newest FROM plant')).toEqual([
      { n: 120, newest: '2026-01-01T01:59:00.000Z' },
    ])
    await callOk(world.service.url, 'POST', '/ingests/edge/data?wait=true', {
      key: world.keys['edge']!,
      body: rowsOf('late', 3, 5000),
    })
    expect(await rowsFor("SELECT COUNT(*) AS n FROM edge WHERE tag LIKE 'late%'")).toEqual([{ n: 3 }])
  })

  test('distinguish columns whose names differ only by case', async () => {
    const text = 'SELECT SUM("value") AS a, SUM(v) AS b, SUM(V) AS c FROM plant'
    const sum = (120 * 119) / 2
    expect(await rowsFor(text)).toEqual([{ a: sum, b: sum / 2, c: -sum }])
  })

  test('SELECT * returns every column under its name, and the time as __time', async () => {
    const [row] = (await rowsFor('SELECT * FROM plant ORDER BY __time LIMIT 1')) as [object]
    const others = ['area', 'unit', 'quality', 'code', 'version', 'user', 'status', 'alarm', 'seq', 'value', 'v', 'V']
    expect(Object.keys(row)).toEqual(['__time', 'tag', ...others])
    expect(row).toMatchObject({ __time: '2026-01-01T00:00:00.000Z', tag: 'boiler0', unit: null, status: 0, value: 0 })
  })

  test('LATEST returns the row pushed last among rows with the same time', async () => {
    const at = '2027-01-01T00:00:00Z'
    for (const value of [3, 1, 2]) {
      const body = { time: at, tag: 'tie', value }
      await callOk(world.service.url, 'POST', '/ingests/edge/data?wait=true', { key: world.keys['edge']!, body })
    }
    const text = `SELECT LATEST("value") AS newest, EARLIEST("value") AS oldest FROM edge WHERE tag = 'tie'`
    expect(await rowsFor(text)).toEqual([{ newest: 2, oldest: 3 }])
  })

  test('are returned in every format, and compressed if the client accepts it', async () => {
    const text = 'SELECT tag, COUNT(*) AS n FROM plant GROUP BY tag ORDER BY tag LIMIT 2'
    expect((await ask(text, { accept: 'text/csv' })).text).toBe('tag,n\r\nboiler0,30\r\nboiler1,30\r\n')
    expect((await ask(text, { accept: 'application/x-ndjson' })).text).toBe(
      '{"tag":"boiler0","n":30}\n{"tag":"boiler1","n":30}\n',
    )
    expect((await ask(text, { accept: 'application/vnd.apache.arrow.stream' })).status).toBe(200)
    expect((await ask(text, { accept: 'application/xml' })).status).toBe(406)
    expect(JSON.parse((await ask(text, { 'accept-encoding': 'br' })).text)).toHaveLength(2)
  })

  test('integers wrap around when they overflow', async () => {
    const n = BigInt.asIntN(64, 2n ** 63n - 1n + 120n)
    const reply = await ask('SELECT 9223372036854775807 + COUNT(*) AS n FROM plant')
    expect(reply).toEqual({ status: 200, text: `[{"n":${n}}]` })
  })
})

test.skipIf(onCluster).each([
  ['store', 'SELECT tag, AVG(V) AS mean FROM plant GROUP BY tag'],
  ['sql-engine', 'SELECT tag, AVG(SQRT(V)) AS mean FROM plant GROUP BY tag'],
  ['store', 'SELECT COUNT(DISTINCT tag) AS n FROM plant'],
  ['sql-engine', 'SELECT COUNT(DISTINCT SQRT(V)) AS n FROM plant'],
])('the %s runs %s', async (answeredBy, sql_query) => {
  const url = `${world.service.url}/consumer/data/sql-query`
  const headers = { authorization: `Bearer ${world.readerKey}`, 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ sql_query }) })
  expect([response.status, response.headers.get('tidemark-answered-by')]).toEqual([200, answeredBy])
  const asDruid = await fetch(`${world.service.url}/druid/v2/sql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: sql_query }),
  })
  expect([asDruid.status, asDruid.headers.get('tidemark-answered-by')]).toEqual([200, answeredBy])
})

describe('errors', () => {
  test('report the line and column', async () => {
    const { status, text } = await ask('SELECT tag,\n  nothing FROM plant')
    expect([status, JSON.parse(text)]).toMatchObject([
      400,
      {
        code: 'invalid_request',
        detail: expect.stringContaining("'nothing'"),
        errors: [{ path: 'sql_query', message: expect.stringContaining('(line 2, column 3)') }],
      },
    ])
  })

  test.each([
    [{}, /sql_query/],
    [{ sql_query: 5 }, /sql_query/],
    [{ sql_query: 'SELECT 1', context: {} }, /context/],
  ])('a body with a missing, wrong or unknown property: %j', async (body, detail) => {
    const reply = await call<{ detail: string }>(world.service.url, 'POST', '/consumer/data/sql-query', {
      key: world.readerKey,
      body,
    })
    expect([reply.status, reply.body.detail]).toEqual([400, expect.stringMatching(detail)])
  })

  test('results that are too large are a 413; an abandoned query does not block others', async () => {
    expect(await ask('SELECT a.tag FROM plant a CROSS JOIN plant b')).toMatchObject({ status: 413 })
    const joined = 'FROM plant a CROSS JOIN plant b CROSS JOIN plant c CROSS JOIN plant d'
    const greedy = `SELECT LENGTH(STRING_AGG(REPEAT(a.tag, 1000), ',')) AS n ${joined}`
    const bound = onCluster ? 'more than 1024 bytes' : 'sql.memoryBytes'
    expect(await ask(greedy)).toMatchObject({ status: 413, text: expect.stringContaining(bound) })
    const endless = `SELECT COUNT(*) AS n ${joined} CROSS JOIN plant e WHERE a."value" + e."value" = -1`
    expect((await ask('SELECT 1 AS x')).status).toBe(200)
    const leaving = new AbortController()
    const left = askSql(world, world.readerKey, endless, {}, leaving.signal)
    expect(await ask('SELECT COUNT(*) AS n FROM plant')).toEqual({ status: 200, text: '[{"n":120}]' })
    leaving.abort()
    await expect(left).rejects.toThrow()
    expect(await ask('SELECT COUNT(*) AS n FROM plant')).toEqual({ status: 200, text: '[{"n":120}]' })
  })

  test('every hostile query is a client error, and other queries still run', async () => {
    const texts = Object.values(hostileTexts).flat()
    let isOver = false
    const others = (async () => {
      let answered = 0
      for (; !isOver; answered++) expect(await ask('SELECT COUNT(*) AS n FROM plant')).toMatchObject({ status: 200 })
      return answered
    })()
    try {
      for (const text of texts) {
        const reply = await ask(text)
        checkReply(text, reply)
        expect([text, reply.status]).toEqual([
          text,
          expect.toSatisfy((status: number) => status >= 400 && status < 500),
        ])
      }
    } finally {
      isOver = true
    }
    expect(await others).toBeGreaterThan(0)
    expect(texts.length).toBeGreaterThan(150)
  })

  test('random queries never cause a server error or reveal hidden names', async () => {
    const options = { numRuns: rounds(300), seed: 1 }
    await fc.assert(
      fc.asyncProperty(fuzzedText, async (text) => checkReply(text, await ask(text))),
      options,
    )
  })
})

describe('two keys with different entities', () => {
  test('each reads its own tables, columns and counts', async () => {
    const names = "SELECT TABLE_NAME AS name FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'druid' ORDER BY 1"
    expect(await rowsFor(names)).toEqual([{ name: 'edge' }, { name: 'plant' }])
    expect(await rowsFor(names, world.hiddenKey)).toEqual([{ name: hiddenEntity }])
    const columns =
      "SELECT DISTINCT TABLE_NAME AS name FROM INFORMATION_SCHEMA.COLUMNS WHERE COLUMN_NAME = 'tag' ORDER BY 1"
    expect(await rowsFor(columns)).toEqual([{ name: 'edge' }, { name: 'plant' }])
    expect(await rowsFor(columns, world.hiddenKey)).toEqual([{ name: hiddenEntity }])
    expect(
      await rowsFor(
        `SELECT DISTINCT SUBSTRING(tag, 1, ${hiddenTag.length}) AS t FROM ${hiddenEntity}`,
        world.hiddenKey,
      ),
    ).toEqual([{ t: hiddenTag }])
  })

  const h = hiddenEntity
  test.each([
    `SELECT COUNT(*) AS n FROM ${h}`,
    `SELECT * FROM druid.${h}`,
    `SELECT * FROM "druid"."${h}"`,
    `SELECT * FROM plant JOIN ${h} ON plant.tag = ${h}.tag`,
    `SELECT tag FROM plant UNION ALL SELECT tag FROM ${h}`,
    `SELECT (SELECT MAX(tag) FROM ${h}) AS x`,
    `SELECT tag FROM plant WHERE tag IN (SELECT tag FROM ${h})`,
    `SELECT tag FROM plant WHERE (SELECT COUNT(*) FROM ${h}) > 0`,
    `WITH a AS (SELECT * FROM ${h}) SELECT COUNT(*) FROM a`,
    `SELECT * FROM TABLE(APPEND('plant', '${h}'))`,
    'SELECT * FROM entity_3',
    'SELECT * FROM "entity_3"',
  ])('the other gets the error for an unknown table: %s', async (text) => {
    const { status, text: body } = await ask(text)
    const unknown = await ask(text.replaceAll(hiddenEntity, 'unknown_q7x'))
    // The response is the same as for an entity that does not exist.
    expect([status, body.replaceAll(hiddenEntity, 'unknown_q7x')]).toEqual([400, unknown.text])
    expect(body).not.toContain(hiddenTag)
  })

  test('a query without a key is a 403', async () => {
    expect(
      (await call(world.service.url, 'POST', '/consumer/data/sql-query', { body: { sql_query: 'SELECT 1' } })).status,
    ).toBe(403)
    expect(JSON.parse((await askSql(world, adminKey, `SELECT COUNT(*) AS n FROM ${hiddenEntity}`)).text)).toEqual([
      { n: 120 },
    ])
  })
})
