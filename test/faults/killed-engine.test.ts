// The SQL engine's process is killed during pushes and queries.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callOk } from '../support/api.ts'
import { adminKey } from '../support/server-process.ts'
import { askSql, rowsOf, type SqlReply, type SqlWorld, sqlWorld } from '../support/sql-world.ts'

let world: SqlWorld
beforeAll(async () => {
  world = await sqlWorld()
})
afterAll(() => world?.service.close())

const ask = (text: string): Promise<SqlReply> => askSql(world, world.readerKey, text)

test('no push and no query fails when the SQL engine is killed while rows are pushed', async () => {
  const { url } = world.service
  const endless =
    'SELECT COUNT(*) AS n FROM plant a, plant b, plant c, plant d, plant e WHERE a."value" + e."value" = -1'
  const before = world.engines.length
  expect((await ask('SELECT 1 AS x')).status).toBe(200)
  const leaving = new AbortController()
  const running = askSql(world, world.readerKey, endless, {}, leaving.signal).catch(() => 'left')
  await sleep(100)
  process.kill(world.engines.at(-1)!, 'SIGKILL')
  expect(await ask('SELECT 1 AS x')).toEqual({ status: 200, text: '[{"x":1}]' })
  for (let pushed = 0; pushed < 20 || world.engines.length === before; pushed++) {
    await callOk(url, 'POST', '/ingests/edge/data', {
      key: world.keys['edge']!,
      body: rowsOf('more', 1, 9000 + pushed),
    })
  }
  expect(await ask('SELECT COUNT(*) AS n FROM plant')).toEqual({ status: 200, text: '[{"n":120}]' })
  const ready = await callOk<{ sql: { state: string } }>(url, 'GET', '/readyz', { key: adminKey })
  expect(ready.sql.state).toBe('ready')
  leaving.abort()
  expect(await running).toBe('left')
})
