// A process that uses TLS to all three servers, with a login at Kafka, and a Druid that reads Kafka in the same way.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { addresses, certificateFiles } from './addresses.ts'
import { TcpProxy, type TlsStart } from './tcp-proxy.ts'

const names: string[] = []
const proxies: TcpProxy[] = []
let dataDirectory: string
let environment: Record<string, string>
let server: ServerProcess | null = null

/** The same address through TLS, under the name in the certificate. */
async function secured(address: string, start: TlsStart): Promise<URL> {
  const [key, cert] = [readFileSync(certificateFiles.key), readFileSync(certificateFiles.certificate)]
  const url = new URL(address)
  const proxy = await TcpProxy.open(url, { key, cert }, start)
  proxies.push(proxy)
  url.port = String(proxy.port)
  url.hostname = 'localhost'
  return url
}

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  const druid = async (address: string): Promise<string> =>
    (await secured(address, 'at once'))
      .toString()
      .replace(/^http:/, 'https:')
      .replace(/\/$/, '')
  environment = {
    TIDEMARK_KAFKA_BROKERS: addresses.kafkaTls,
    TIDEMARK_KAFKA_TLS: 'true',
    TIDEMARK_KAFKA_CA_FILE: certificateFiles.certificate,
    TIDEMARK_KAFKA_MECHANISM: 'PLAIN',
    TIDEMARK_KAFKA_USER: 'tidemark',
    TIDEMARK_KAFKA_PASSWORD: 'tidemark',
    TIDEMARK_DRUID_BROKER: await druid(addresses.druidBroker),
    TIDEMARK_DRUID_OVERLORD: await druid(addresses.druidOverlord),
    TIDEMARK_DRUID_CA_FILE: certificateFiles.certificate,
    TIDEMARK_POSTGRES_URL: (await secured(addresses.postgresUrl, 'when asked')).toString(),
    TIDEMARK_POSTGRES_CA_FILE: certificateFiles.certificate,
    TIDEMARK_KAFKA_TIMEOUT_MS: '2000',
  }
})

afterEach(async () => {
  await server?.stop()
  server = null
})

afterAll(async () => {
  for (const proxy of proxies) await proxy.close()
  for (const name of names) await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

async function start(changes: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const name = newClusterName()
  names.push(name)
  server = await ServerProcess.start({
    dataDirectory,
    environment: { ...clusterEnvironment(name), ...environment, ...changes },
  })
  return server
}

test('pushed rows are stored and returned by queries', async () => {
  const { url } = await start()
  const key = await makeIngest(url, adminKey, { alias: 'plant' })
  const rows = Array.from({ length: 500 }, (_, V) => ({ D: new Date(V * 1000).toISOString(), T: 'a', V }))
  await callOk(url, 'POST', '/ingests/plant/data?wait=true', { key, body: rows })
  const select = { key: adminKey, body: { entity: 'plant' } }
  const items = await callOk<{ V: number }[]>(url, 'POST', '/consumer/data/select', select)
  expect(items.map(({ V }) => V)).toEqual(rows.map(({ V }) => V))
  const sql = { key: adminKey, body: { sql_query: 'SELECT COUNT(*) AS n FROM plant' } }
  expect(await callOk(url, 'POST', '/consumer/data/sql-query', sql)).toEqual([{ n: 500 }])
})

test.each([
  ['an untrusted certificate of Kafka', { TIDEMARK_KAFKA_CA_FILE: '' }, /certificate/],
  ['a wrong password for Kafka', { TIDEMARK_KAFKA_PASSWORD: 'other' }, /SASL authentication failed/],
  ['an untrusted certificate of Druid', { TIDEMARK_DRUID_CA_FILE: '' }, /"part":"druid".*certificate/],
])('the log names %s', async (_, changes, expected) => {
  const { url } = await start(changes)
  await expect.poll(() => server?.log, { timeout: 20_000 }).toMatch(expected)
  expect((await fetch(`${url}/readyz`)).status).toBe(503)
})
