// The gauges and counters in /metrics of a running service.
import { expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { onCluster } from '../support/cluster-under-test.ts'
import { runService } from '../support/running-service.ts'
import { adminKey } from '../support/server-process.ts'

async function levels(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
  const lines = (await response.text()).matchAll(/^tidemark_(\w+) (\S+)$/gm)
  return new Map([...lines].map(([, name, value]) => [name!, Number(value)]))
}

test('gauges show current values', async () => {
  const service = await runService({ 'limits.checkMs': '10' })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await expect.poll(async () => (await levels(service.url)).get('disk_free_bytes')).toBeGreaterThan(0)
  const before = await levels(service.url)
  const empty = ['idempotency_keys', 'rejected_kept_bytes', 'pending_rows', 'journal_backlog_bytes']
  expect(empty.map((name) => before.get(name))).toEqual([0, 0, 0, 0])
  // On a cluster, this process does not report them.
  const own = ['stored_rows', 'journal_bytes']
  expect(own.map((name) => before.get(name))).toEqual(onCluster ? [undefined, undefined] : [0, expect.any(Number)])
  const body = [{ D: 0, T: 'a', V: 1 }, { V: 'bad' }]
  const pushed = await fetch(`${service.url}/ingests/plant/data?wait=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify(body),
  })
  expect(pushed.status).toBe(200)
  // PostgreSQL estimates the number of keys, from time to time.
  const expected = { pending_rows: 0, journal_backlog_bytes: 0, ...(onCluster ? {} : { idempotency_keys: 1 }) }
  await expect.poll(async () => Object.fromEntries(await levels(service.url))).toMatchObject(expected)
  await expect.poll(async () => (await levels(service.url)).get('rejected_kept_bytes')).toBeGreaterThan(0)
  const after = await levels(service.url)
  expect(after.get('rejected_kept_bytes_max')).toBe(after.get('rejected_kept_bytes'))
  if (!onCluster) expect(after.get('journal_bytes')).toBeGreaterThan(before.get('journal_bytes')!)
  await call(service.url, 'DELETE', '/admin/ingests/plant/rejected', { key: adminKey })
  await expect.poll(async () => (await levels(service.url)).get('rejected_kept_bytes')).toBe(0)
  await service.close()
})

test('running and waiting queries are counted', async () => {
  const service = await runService({ 'limits.runningQueries': '1', 'limits.runningSqlQueries': '1' })
  let isEnded = false
  const askOn = async (): Promise<void> => {
    while (!isEnded)
      await callOk(service.url, 'POST', '/consumer/data/sql-query', { body: { sql_query: 'SELECT 1 + 1' } })
  }
  const asking = [askOn(), askOn(), askOn()]
  for (const name of ['running_queries', 'waiting_queries']) {
    await expect.poll(async () => (await levels(service.url)).get(name)).toBeGreaterThan(0)
  }
  isEnded = true
  await Promise.all(asking)
  await expect
    .poll(async () => Object.fromEntries(await levels(service.url)))
    .toMatchObject({ running_queries: 0, waiting_queries: 0 })
  await service.close()
})

test('rows are counted by ingest; ingests beyond limits.metricsIngests are counted together', async () => {
  const service = await runService({ 'limits.metricsIngests': '1' })
  const ofIngests = async (): Promise<Record<string, number>> => {
    const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
    const lines = (await response.text()).matchAll(/^tidemark_ingest_(\w+)\{ingest="(.+)"\} (\S+)$/gm)
    return Object.fromEntries([...lines].map(([, name, ingest, value]) => [`${ingest} ${name}`, Number(value)]))
  }
  const begunSeconds = Date.now() / 1000
  for (const alias of ['plant', 'weather', 'tides']) {
    const key = await makeIngest(service.url, adminKey, { alias })
    await fetch(`${service.url}/ingests/${alias}/data?wait=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ D: 0, T: 'a', V: 1 }, { V: 'bad' }, 7]),
    })
  }
  const rows = (received: number) => ({ received, stored: received / 3, rejected: (2 * received) / 3 })
  const expected = Object.entries({ plant: rows(3), '(others)': rows(6) }).flatMap(([ingest, counts]) => [
    ...Object.entries(counts).map(([name, count]) => [`${ingest} ${name}_rows_total`, count]),
    [`${ingest} pending_rows`, 0],
    [`${ingest} last_received_timestamp_seconds`, expect.any(Number)],
  ])
  await expect.poll(ofIngests).toEqual(Object.fromEntries(expected))
  expect((await ofIngests())['plant last_received_timestamp_seconds']).toBeGreaterThanOrEqual(Math.floor(begunSeconds))
  await service.close()
})

test('counters restart at 0; rows validated again after a restart are counted separately', async () => {
  // The stop leaves no time to seal the rows.
  let service = await runService({ 'server.shutdownMs': '0' })
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  const push = (): Promise<Response> =>
    fetch(`${service.url}/ingests/plant/data?wait=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ D: 0, T: 'a', V: 1 }, { V: 'bad' }, 7]),
    })
  const counted = async (): Promise<readonly unknown[]> => {
    const now = await levels(service.url)
    return ['validated', 'rejected', 'replayed'].map((what) => now.get(`rows_${what}_total`))
  }
  await push()
  await expect.poll(counted).toEqual([3, 2, 0])
  await callOk(service.url, 'PATCH', '/admin/ingests/plant', {
    key: adminKey,
    body: { add_fields: [{ name: 'W', type: 'double', role: 'metric' }] },
  })
  await callOk(service.url, 'POST', '/admin/ingests/plant/rejected/replay', { key: adminKey, body: {} })
  service = await service.restart()
  expect(await counted()).toEqual([0, 0, 0])
  if (!onCluster) expect((await levels(service.url)).get('rows_revalidated_total')).toBe(3)
  await push()
  await expect.poll(counted).toEqual([3, 2, 0])
  await service.close()
})

test('the service records its own history, which is as restricted as /metrics, and does not count its rows', async () => {
  const settings = { 'self.historyMs': '200', 'access.metrics': 'key' }
  const service = await runService(settings)
  const key = await makeIngest(service.url, adminKey, { alias: 'plant' })
  await callOk(service.url, 'POST', '/ingests/plant/data', { key, body: [{ D: 0, T: 'a', V: 1 }] })
  const request = { query: 'SELECT * FROM tidemark_self WHERE memory_bytes > 0 ORDER BY __time DESC LIMIT 5' }
  const rows = async (): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const { status, body } = await call(service.url, 'POST', '/druid/v2/sql', { key: adminKey, body: request })
    return status === 200 ? (body as Readonly<Record<string, unknown>>[]) : []
  }
  const patience = { timeout: 100_000 }
  await expect.poll(async () => (await rows()).length, patience).toBeGreaterThan(1)
  await expect.poll(async () => (await rows())[0], patience).toMatchObject({ rows_per_second: 0 })
  const entity = { entity: 'tidemark_self', of_service: true }
  const listed = await callOk<object[]>(service.url, 'GET', '/consumer/data/entities', { key: adminKey })
  expect(listed).toEqual([expect.not.objectContaining({ of_service: true }), expect.objectContaining(entity)])
  const { Items } = await callOk<{ Items: object[] }>(service.url, 'GET', '/admin/entities', { key: adminKey })
  expect(Items[1]).toMatchObject({ entity: 'tidemark_self', retention: 'P7D' })
  // Anyone may read the other entities.
  const names = (await callOk<{ entity: string }[]>(service.url, 'GET', '/consumer/data/entities')).map(
    (one) => one.entity,
  )
  expect(names).toEqual(['plant'])
  expect((await call(service.url, 'POST', '/druid/v2/sql', { body: request })).status).toBe(400)
  // The next run continues the history in the same entity.
  if (onCluster) return service.close()
  // The operator's settings are kept.
  await callOk(service.url, 'PATCH', '/admin/entities/tidemark_self', { key: adminKey, body: { retention: null } })
  const again = await service.restart({ settings })
  const before = Date.now()
  const since = { query: `SELECT COUNT(*) AS n FROM tidemark_self WHERE __time >= MILLIS_TO_TIMESTAMP(${before})` }
  await expect
    .poll(() => callOk<unknown>(again.url, 'POST', '/druid/v2/sql', { key: adminKey, body: since }), patience)
    .not.toEqual([{ n: 0 }])
  const after = await callOk<{ Items: object[] }>(again.url, 'GET', '/admin/entities', { key: adminKey })
  expect(after.Items[1]).toMatchObject({ entity: 'tidemark_self', retention: null })
  await again.close()
})

test('the name of the history is reserved, whether it is recorded or not', async () => {
  for (const historyMs of ['0', '60000']) {
    const service = await runService({ 'self.historyMs': historyMs })
    for (const ingest of [
      { alias: 'tidemark_self', kind: 'series' },
      { alias: 'own', kind: 'series', entity: 'tidemark_self' },
      { alias: 'tidemark_self', kind: 'metadata', fields: [{ name: 'id', type: 'string', role: 'index' }] },
    ]) {
      expect(await call(service.url, 'POST', '/admin/ingests', { key: adminKey, body: ingest })).toMatchObject({
        status: 409,
        body: { code: 'conflict', detail: expect.stringContaining("the service's own history") },
      })
    }
    await service.close()
  }
})

test.skipIf(onCluster)(
  'the history continues after the operator adds a field, and creating it is not audited',
  async () => {
    const service = await runService({ 'self.historyMs': '100' })
    const list = () => callOk<{ Items: { what: string }[] }>(service.url, 'GET', '/admin/audit', { key: adminKey })
    const rows = async (url: string) => {
      const body = { sql_query: 'SELECT COUNT(*) AS n FROM tidemark_self' }
      return (await call<{ n: number }[]>(url, 'POST', '/consumer/data/sql-query', { key: adminKey, body })).body[0]?.n
    }
    await expect.poll(() => rows(service.url), { timeout: 100_000 }).toBeGreaterThan(0)
    expect(new Set((await list()).Items.map(({ what }) => what))).toEqual(new Set(['start']))
    const add_fields = [{ name: 'note', type: 'string', role: 'dimension' }]
    await callOk(service.url, 'PATCH', '/admin/ingests/tidemark_self', { key: adminKey, body: { add_fields } })
    const again = await service.restart()
    const before = (await rows(again.url))!
    await expect.poll(() => rows(again.url), { timeout: 100_000 }).toBeGreaterThan(before)
    await again.close()
  },
)
