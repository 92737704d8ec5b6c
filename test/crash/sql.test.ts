// Malicious SQL for longer than in the other tests: a minute of random texts, and engines that run out of memory or are killed while rows are
// pushed.
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fuzzedText } from '../druid-sql/fuzzed-text.ts'
import { callOk } from '../support/api.ts'
import { askSql, checkReply, rowsOf, type SqlReply, type SqlWorld, sqlWorld } from '../support/sql-world.ts'

let world: SqlWorld
beforeAll(async () => {
  world = await sqlWorld({
    'limits.queryTimeMs': '2000',
    'limits.resultRows': '10000',
    'sql.memoryBytes': String(96 * 2 ** 20),
    'sql.temporaryBytes': String(16 * 2 ** 20),
  })
})
afterAll(() => world?.service.close())

const ask = (text: string): Promise<SqlReply> => askSql(world, world.readerKey, text)

const fuzzMs = Number(process.env['FUZZ_MS'] ?? 60_000)

test('random SQL for a minute never causes a failure of the service', async () => {
  let asked = 0
  const property = fc.asyncProperty(fuzzedText, async (text) => {
    asked += 1
    checkReply(text, await ask(text))
  })
  await fc.assert(property, { numRuns: 10_000_000, interruptAfterTimeLimit: fuzzMs })
  expect(asked).toBeGreaterThan(fuzzMs / 100)
  expect(await ask('SELECT COUNT(*) AS n FROM plant')).toEqual({ status: 200, text: '[{"n":120}]' })
})

const joined = 'FROM plant a CROSS JOIN plant b CROSS JOIN plant c CROSS JOIN plant d'
/** Each query exceeds the available memory, the time limit, or a timeout of the engine. */
const bombs = [
  `SELECT COUNT(*) AS n ${joined} CROSS JOIN plant e WHERE a."value" + e."value" = -1`,
  `SELECT ARRAY_AGG(a.tag || b.tag) AS x ${joined}`,
  `SELECT LENGTH(STRING_AGG(REPEAT(a.tag, 1000), ',')) AS n ${joined}`,
  `SELECT COUNT(DISTINCT a.tag || CAST(b."value" * c."value" * d."value" AS VARCHAR)) AS n ${joined}`,
  `SELECT SUM(LENGTH(LPAD(a.tag, 100000000, 'y'))) AS n ${joined}`,
  `SELECT a."value" AS v ${joined} ORDER BY b."value" * c."value" LIMIT 3`,
  `SELECT SUM(x) AS n FROM (SELECT SUM(a."value") OVER (PARTITION BY a.tag ORDER BY b."value") AS x ${joined})`,
]

test('engines that run out of memory or are killed delay no push by more than a second', async () => {
  let isOver = false
  let slowestMs = 0
  let pushed = 0
  const pushing = (async () => {
    for (; !isOver; pushed++) {
      const startedMs = performance.now()
      const body = rowsOf('more', 20, 100_000 + pushed * 20)
      await callOk(world.service.url, 'POST', '/ingests/edge/data', { key: world.keys['edge']!, body })
      slowestMs = Math.max(slowestMs, performance.now() - startedMs)
      await sleep(5)
    }
  })()
  try {
    for (let round = 0; round < 6; round++) {
      const replies = Promise.all(bombs.map(async (text) => ({ text, reply: await ask(text) })))
      await sleep(round * 300)
      const killed = round % 2 === 1
      if (killed) process.kill(world.engines.at(-1)!, 'SIGKILL')
      for (const { text, reply } of await replies) {
        checkReply(text, reply)
      }
      // It recovers on its own; until then its queries wait.
      expect(await ask('SELECT 1 AS x')).toEqual({ status: 200, text: '[{"x":1}]' })
    }
  } finally {
    isOver = true
    await pushing
  }
  expect(pushed).toBeGreaterThan(100)
  expect(slowestMs).toBeLessThan(1000)
  expect(world.engines.length).toBeGreaterThan(3)
})
