// Processes of a cluster side by side: the scenarios through them, and changes by one that another sees.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { parseScenario } from '../support/scenario.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { QueryServers, ScenarioRun, untilStatus } from './scenarios-over-http.ts'

const name = newClusterName()
const folder = join(import.meta.dirname, '../scenarios')
const files = readdirSync(folder).filter((file) => file.endsWith('.scenario'))
let dataDirectory: string
let pipeline: ServerProcess
let first: ServerProcess
let second: ServerProcess
let askers: QueryServers

function start(role: 'api' | 'pipeline'): Promise<ServerProcess> {
  // For the first rows of a dozen entities at once on a busy machine; this test does not check how soon they are visible.
  const patient = { TIDEMARK_LIMITS_INGEST_WAIT_MS: '60000', TIDEMARK_HOOKS_PRIVATE_ADDRESSES: 'true' }
  const environment = { ...clusterEnvironment(name), ...patient, TIDEMARK_ROLE: role }
  return ServerProcess.start({ dataDirectory, environment })
}

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  askers = new QueryServers(name, dataDirectory)
  ;[pipeline, first, second] = await Promise.all([start('pipeline'), start('api'), start('api')])
})

afterAll(async () => {
  await Promise.all([pipeline, first, second].map((server) => server?.stop()))
  await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

describe.concurrent('scenarios', () => {
  // They have separate settings and clocks, and none may do background work that the tests below check.
  afterAll(() => askers.close())

  test.each(files)('%s', async (file) => {
    const run = new ScenarioRun(first.url, askers, `${file.replace('.scenario', '').replaceAll('-', '_')}_`)
    for (const check of parseScenario(readFileSync(join(folder, file), 'utf8'))) {
      const { answered, expected } = await run.run(check)
      expect(`${check.title}\n ${answered}`).toBe(`${check.title}\n ${expected}`)
    }
  })
})

describe('two processes', () => {
  const push = (url: string, key: string, value: number, idempotencyKey: string, body?: string) =>
    fetch(`${url}/ingests/beside/data?wait=true`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: body ?? JSON.stringify({ D: '2026-01-01T00:00:00Z', T: 'a', V: value }),
    })
  let key = ''
  beforeAll(async () => {
    key = await makeIngest(first.url, adminKey, { alias: 'beside' })
    await untilStatus(200, 5000, second.url, 'POST', '/ingests/beside/data', { key, body: [] })
  })
  const values = async (url: string) =>
    (await callOk<{ V: number }[]>(url, 'POST', '/consumer/data/select', { body: { entity: 'beside' } })).map(
      ({ V }) => V,
    )

  test('store a push once when both receive it under the same key, and return the same batch', async () => {
    const pushes = Array.from({ length: 12 }, (_, index) => index)
    const answers = await Promise.all(
      pushes.flatMap((value) =>
        [first, second, first].map(async ({ url }) => {
          const response = await push(url, key, value, `key ${value}`)
          const { batch } = (await response.json()) as { batch: string }
          return `${value} ${response.status} ${batch}`
        }),
      ),
    )
    expect(answers.map((answer) => answer.split(' ')[1])).toEqual(answers.map(() => '200'))
    expect(new Set(answers).size).toBe(pushes.length)
    expect((await values(second.url)).toSorted((a, b) => a - b)).toEqual(pushes)
    expect((await push(second.url, key, 99, 'key 0')).status).toBe(400)
  })

  test('apply a change of access within five seconds', async () => {
    const subscriber = '/admin/subscribers/pusher-of-beside'
    const path = '/ingests/beside/data'
    const admin = { key: adminKey }
    const change = (url: string, body: readonly object[]) =>
      callOk(url, 'PUT', `${subscriber}/subscriptions`, { ...admin, body })
    await change(first.url, [])
    await untilStatus(403, 5000, second.url, 'POST', path, { key, body: [] })
    await change(second.url, [{ ingest: 'beside' }])
    await untilStatus(200, 5000, first.url, 'POST', path, { key, body: [] })
    await callOk(first.url, 'PATCH', '/admin/ingests/beside', { ...admin, body: { state: 'blocked', reason: 'x' } })
    await untilStatus(423, 5000, second.url, 'POST', path, { key, body: [] })
    await callOk(second.url, 'PATCH', '/admin/ingests/beside', { ...admin, body: { state: 'active' } })
    await untilStatus(200, 5000, first.url, 'POST', path, { key, body: [] })
  })

  test('cancel a query that the other process runs, only for its own caller', async () => {
    const joins = [...'bcdefghijk'].map((table) => `CROSS JOIN beside ${table}`).join(' ')
    const body = { query: `SELECT COUNT(*) AS n FROM beside a ${joins}`, context: { queryId: 'long' } }
    const run = ({ url }: ServerProcess) => call(url, 'POST', '/druid/v2/sql', { key: adminKey, body })
    const cancel = async ({ url }: ServerProcess, path: string, asker: string): Promise<number> =>
      (await call(url, 'DELETE', `/druid/v2/${path}`, { key: asker })).status
    const canceled = { status: 503, body: { category: 'CANCELED', context: { code: 'query_canceled' } } }
    for (const [runs, asked, path] of [
      [first, second, 'sql/long'],
      [second, first, 'long'],
    ] as const) {
      const answered = run(runs)
      for (let round = 0; round < 10; round++) expect(await cancel(asked, path, key)).toBe(404)
      // There is nothing to cancel until the query has begun.
      await expect.poll(() => cancel(asked, path, adminKey), { timeout: 60_000 }).toBe(202)
      expect(await answered).toMatchObject(canceled)
      expect(await cancel(asked, path, adminKey)).toBe(404)
    }
  })

  test('are ready, and report Kafka, Druid and PostgreSQL as reachable', async () => {
    const parts = { kafka: { reachable: true }, druid: { reachable: true }, postgres: { reachable: true } }
    for (const { url } of [first, second, pipeline]) {
      expect((await call(url, 'GET', '/readyz', { key: adminKey })).body).toMatchObject({ cluster: parts })
    }
  })

  test('call a hook for too many rejected rows, also when any of them is killed', async () => {
    const told: string[] = []
    const receiver = createServer((request, response) => {
      void text(request).then((body) => {
        told.push(JSON.parse(body).ingest)
        response.writeHead(204).end()
      })
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const kinds = [{ kind: 'rejected_rows', over: 0, within: 'PT1H' }]
    await callOk(first.url, 'PUT', '/admin/hooks/rejected', { key: adminKey, body: { url, kinds } })
    const servers = [pipeline, first, second]
    const explain = async (error: unknown): Promise<never> => {
      const deliveries = await callOk(second.url, 'GET', '/admin/hooks/rejected/deliveries', { key: adminKey })
      const logs = servers.map(({ log }) => log.slice(-4000))
      throw new Error(`told: ${told.join()}; deliveries: ${JSON.stringify(deliveries)}; logs: ${logs.join('\n')}`, {
        cause: error,
      })
    }
    try {
      for (const [index, server] of servers.entries()) {
        const alias = `rejects-${index}`
        const pushKey = await makeIngest(first.url, adminKey, { alias })
        await untilStatus(200, 5000, second.url, 'POST', `/ingests/${alias}/data`, { key: pushKey, body: [] })
        const body = [{ D: 'never', T: 'a', V: 1 }]
        const receipt = await callOk(second.url, 'POST', `/ingests/${alias}/data?wait=true`, { key: pushKey, body })
        expect(receipt).toMatchObject({ rejected: 1, pending: 0 })
        await expect
          .poll(() => told.includes(alias), { timeout: 150_000 })
          .toBe(true)
          .catch(explain)
        await server.kill()
        servers[index] = await start(server === pipeline ? 'pipeline' : 'api')
        ;[pipeline, first, second] = servers as [ServerProcess, ServerProcess, ServerProcess]
      }
      // At least once: a process may be killed before it records that the call was accepted.
      expect([...new Set(told)]).toEqual(['rejects-0', 'rejects-1', 'rejects-2'])
    } finally {
      receiver.close()
    }
  }, 600_000)
})
