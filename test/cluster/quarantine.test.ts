// A push that crashes the validator of every pipeline: it is quarantined, others continue, and a pipeline that can validate it stores its rows.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { testProgram } from '../support/compiled.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'

const name = newClusterName()
const program = testProgram('cluster/serve-dies-on-entry')
const admin = { key: adminKey }
let dataDirectory: string
let pipeline: ServerProcess
let api: ServerProcess

function start(role: 'api' | 'pipeline', options: { readonly program?: string } = {}): Promise<ServerProcess> {
  const environment = { ...clusterEnvironment(name), TIDEMARK_ROLE: role, TIDEMARK_LIMITS_CHECK_MS: '200' }
  return ServerProcess.start({ dataDirectory, environment, ...options })
}

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  ;[pipeline, api] = await Promise.all([start('pipeline', { program }), start('api')])
})

afterAll(async () => {
  await Promise.all([pipeline, api].map((server) => server?.stop()))
  await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

interface Receipt {
  readonly pending: number
}

const row = (V: number, T = 'a'): object => ({ D: `2026-01-01T00:00:${String(V).padStart(2, '0')}Z`, T, V })

async function values(): Promise<readonly number[]> {
  const body = { entity: 'plant' }
  const items = await callOk<{ V: number }[]>(api.url, 'POST', '/consumer/data/select', { body })
  return items.map(({ V }) => V)
}

const patient = { timeout: 200_000, interval: 200 }

const reported = (url: string, entries: number): Promise<void> =>
  expect
    .poll(async () => {
      const { quarantine } = await callOk<{ quarantine: object }>(url, 'GET', '/readyz', { key: adminKey })
      const metrics = await (await fetch(`${url}/metrics`)).text()
      return { quarantine, metric: /^tidemark_quarantine_entries (\d+)$/m.exec(metrics)?.[1] }
    }, patient)
    .toEqual({ quarantine: { entries, rows: entries === 0 ? 0 : 3 }, metric: String(entries) })

test('a push that crashes the validator is not validated until an operator releases it', {
  timeout: 600_000,
}, async () => {
  const key = await makeIngest(api.url, adminKey, { alias: 'plant' })
  const push = async (body: unknown): Promise<string> =>
    (await callOk<{ batch: string }>(api.url, 'POST', '/ingests/plant/data', { key, body })).batch
  const poison = [row(3), row(4, 'throws'), 5]
  const batches = [await push([row(1), row(2)]), await push(poison), await push(row(6))]
  const receiptOf = (batch: string) => callOk<Receipt>(api.url, 'GET', `/ingests/plant/batches/${batch}`, { key })
  const pending = async () => (await Promise.all(batches.map(receiptOf))).map((receipt) => receipt.pending)
  await expect.poll(pending, patient).toEqual([0, 0, 0])

  expect(await receiptOf(batches[1]!)).toMatchObject({
    ...{ rows: 3, stored: 0, rejected: 3 },
    errors: [0, 1, 2].map((index) => ({ index, code: 'not_validated' })),
  })
  expect(await values()).toEqual([1, 2, 6])
  await reported(api.url, 1)
  await reported(pipeline.url, 1)
  const { Items } = await callOk<{ Items: { id: string }[] }>(api.url, 'GET', '/admin/quarantine', admin)
  expect(Items).toMatchObject([{ batch: batches[1], ingest: 'plant', rows: 3, not_validated: 3 }])
  const path = `/admin/quarantine/${Items[0]!.id}`
  expect((await call(api.url, 'GET', `${path}/body`, admin)).body).toEqual(poison)

  // Another pipeline of the same program continues after the entry; one that can validate it does so in a replay.
  await pipeline.kill()
  pipeline = await start('pipeline', { program })
  batches.push(await push(row(7)))
  await expect.poll(pending, patient).toEqual([0, 0, 0, 0])
  expect(await values()).toEqual([1, 2, 6, 7])
  await pipeline.stop()
  pipeline = await start('pipeline')
  const replay = '/admin/ingests/plant/rejected/replay'
  expect(await callOk(api.url, 'POST', replay, { ...admin, body: {} })).toEqual({
    replayed: 3,
    stored: 2,
    rejected: 1,
  })
  await expect.poll(values, patient).toEqual([1, 2, 3, 4, 6, 7])
  expect((await call(api.url, 'DELETE', path, admin)).status).toBe(204)
  expect((await call(api.url, 'GET', `${path}/body`, admin)).status).toBe(404)
  await reported(api.url, 0)
})
