// A process of a cluster while one of the servers is unreachable: which requests are refused, which continue, and that everything recovers on its own.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { addresses } from './addresses.ts'
import { untilStatus } from './scenarios-over-http.ts'
import { TcpProxy } from './tcp-proxy.ts'

const run = promisify(execFile)
const name = newClusterName()
let dataDirectory: string
let server: ServerProcess
let kafka: TcpProxy
let postgres: TcpProxy
let broker: TcpProxy
let overlord: TcpProxy
let key: string
/** Values of acknowledged pushes. */
const acknowledged: number[] = []
/** Values of refused pushes that may nevertheless be stored. */
const uncertain = new Set<number>()
let nextValue = 0

function through(address: string, proxy: TcpProxy): string {
  const url = new URL(address)
  url.port = String(proxy.port)
  return url.toString().replace(/\/$/, '')
}

function start(): Promise<ServerProcess> {
  const at = {
    kafkaBrokers: `127.0.0.1:${kafka.port}`,
    postgresUrl: through(addresses.postgresUrl, postgres),
    druidBroker: through(addresses.druidBroker, broker),
    druidOverlord: through(addresses.druidOverlord, overlord),
  }
  const quick = {
    TIDEMARK_KAFKA_TIMEOUT_MS: '2000',
    TIDEMARK_POSTGRES_TIMEOUT_MS: '2000',
    TIDEMARK_DRUID_TIMEOUT_MS: '2000',
    TIDEMARK_LIMITS_INGEST_WAIT_MS: '20000',
  }
  return ServerProcess.start({ dataDirectory, environment: { ...clusterEnvironment(name, at), ...quick } })
}

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  kafka = await TcpProxy.open(new URL(`tcp://${addresses.kafkaBrokers}`))
  postgres = await TcpProxy.open(new URL(addresses.postgresUrl))
  broker = await TcpProxy.open(new URL(addresses.druidBroker))
  overlord = await TcpProxy.open(new URL(addresses.druidOverlord))
})

afterAll(async () => {
  await run(process.execPath, ['scripts/cluster/main.mjs', 'start', 'kafka'])
  await server?.stop()
  for (const proxy of [kafka, postgres, broker, overlord]) await proxy?.close()
  await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

interface Refusal {
  readonly status: number
  readonly code?: string
  readonly hasRetryAfter: boolean
}

async function answerOf(response: Response): Promise<Refusal> {
  const body = (await response.json()) as { code?: string }
  const hasRetryAfter = response.headers.has('retry-after')
  return { status: response.status, hasRetryAfter, ...(body.code === undefined ? {} : { code: body.code }) }
}

async function push(query = ''): Promise<Refusal> {
  const value = nextValue++
  const response = await fetch(`${server.url}/ingests/plant/data${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ D: new Date(value * 1000).toISOString(), T: 'a', V: value }),
  })
  if (response.ok) acknowledged.push(value)
  else uncertain.add(value)
  return answerOf(response)
}

async function query(): Promise<Refusal> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ entity: 'plant' })
  return answerOf(await fetch(`${server.url}/consumer/data/latest`, { method: 'POST', headers, body }))
}

const refused = { status: 503, hasRetryAfter: true }

type PartName = 'Kafka' | 'Druid' | 'PostgreSQL'

/** Waits until /readyz reports exactly these parts as unreachable. */
async function untilAway(...parts: readonly PartName[]): Promise<void> {
  const said = async (): Promise<string> => {
    const { status, body } = await call<{ detail?: string }>(server.url, 'GET', '/readyz', { key: adminKey })
    const { detail = '' } = body
    return [status, ...Array.from(detail.matchAll(/(\w+) is away/g), ([, part]) => part)].join(' ')
  }
  const expected = [parts.length === 0 ? 200 : 503, ...parts].join(' ')
  await expect.poll(said, { timeout: 30_000, interval: 100 }).toBe(expected)
}

/** Each acknowledged value is stored exactly once, and no other value more than once. */
async function expectExactlyOnce(): Promise<void> {
  const value = nextValue
  await expect.poll(async () => (await push('?wait=true')).status, { timeout: 60_000 }).toBe(200)
  const items = await callOk<{ V: number }[]>(server.url, 'POST', '/consumer/data/select', {
    body: { entity: 'plant' },
  })
  const values = items.map(({ V }) => V)
  expect(values.filter((one) => !uncertain.has(one))).toEqual(acknowledged)
  expect(new Set(values).size).toBe(values.length)
  expect(values).toContain(acknowledged.findLast((one) => one >= value))
  const admin = { key: adminKey }
  const { counters } = await callOk<{ counters: object }>(server.url, 'GET', '/admin/ingests/plant', admin)
  expect(counters).toEqual({ received: values.length, stored: values.length, rejected: 0, pending: 0 })
}

test('the start waits for Kafka and PostgreSQL, and the service recovers when Druid appears too', async () => {
  for (const proxy of [kafka, postgres, broker, overlord]) proxy.cut()
  const starting = start()
  expect(await Promise.race([starting.then(() => 'started'), sleep(3000, 'waits')])).toBe('waits')
  postgres.restore()
  // Kafka comes back a moment later: the first push is accepted all the same.
  await sleep(500)
  kafka.restore()
  server = await starting
  key = await makeIngest(server.url, adminKey, { alias: 'plant' })
  expect((await push()).status).toBe(200)
  await untilAway('Druid')
  expect(await query()).toMatchObject(refused)
  overlord.restore()
  broker.restore()
  await untilAway()
  await expectExactlyOnce()
})

test('without Druid pushes are accepted and queries are refused', async () => {
  for (const proxy of [overlord, broker]) proxy.cut()
  expect(await query()).toMatchObject(refused)
  expect((await push()).status).toBe(200)
  await untilAway('Druid')
  for (const proxy of [broker, overlord]) proxy.restore()
  await untilAway()
  await expectExactlyOnce()
})

test.each(['cut', 'silence'] as const)(
  'without PostgreSQL (%s) administration is refused and queries are answered',
  async (how) => {
    postgres[how]()
    await untilAway('PostgreSQL')
    expect((await query()).status).toBe(200)
    const admin = await fetch(`${server.url}/admin/ingests`, { headers: { authorization: `Bearer ${adminKey}` } })
    expect(await answerOf(admin)).toMatchObject(refused)
    await push()
    postgres.cut()
    postgres.restore()
    await untilAway()
    await expectExactlyOnce()
  },
)

test('without Kafka pushes are refused and queries are answered', async () => {
  await run(process.execPath, ['scripts/cluster/main.mjs', 'kill', 'kafka'])
  try {
    expect(await push()).toMatchObject(refused)
    await untilAway('Kafka')
    expect(await push()).toMatchObject(refused)
    expect((await query()).status).toBe(200)
  } finally {
    await run(process.execPath, ['scripts/cluster/main.mjs', 'start', 'kafka'])
  }
  await untilAway()
  await expectExactlyOnce()
})

test('recovers when PostgreSQL and Druid return in another order', async () => {
  for (const proxy of [postgres, broker, overlord]) proxy.cut()
  await untilAway('Druid', 'PostgreSQL')
  broker.restore()
  overlord.restore()
  await untilAway('PostgreSQL')
  postgres.restore()
  await untilAway()
  await untilStatus(200, 10_000, server.url, 'GET', '/admin/ingests', { key: adminKey })
  await expectExactlyOnce()
})
