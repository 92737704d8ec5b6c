// More entities than Druid has slots: those that receive rows are read, the others wait and report it, and in the end all are read.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { call, callOk } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { addresses } from './addresses.ts'

const isFull = process.env['TIDEMARK_CLUSTER_FULL'] === '1'
const admin = { key: adminKey }
const quick = { TIDEMARK_DRUID_QUIET_MIN_MS: '2000', TIDEMARK_DRUID_CHECK_MS: '2000' }
/** One round of pushes to all busy entities may take this long on a busy machine. */
const patient = { TIDEMARK_DRUID_QUIET_MIN_MS: '20000' }

let name: string
let dataDirectory: string
let server: ServerProcess
let key: string

beforeEach(async () => {
  name = newClusterName()
  dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
})
afterEach(async () => {
  await server?.stop()
  await removeCluster(name)
  await rm(dataDirectory, { recursive: true, force: true })
})

async function start(environment: Record<string, string>): Promise<void> {
  server = await ServerProcess.start({ dataDirectory, environment: { ...clusterEnvironment(name), ...environment } })
  await callOk(server.url, 'POST', '/admin/subscribers', { ...admin, body: { name: 'pusher' } })
  await callOk(server.url, 'PUT', '/admin/subscribers/pusher/subscriptions', { ...admin, body: [{ ingest: '*' }] })
  const made = { ...admin, body: { rights: ['ingest'] } }
  key = (await callOk<{ key: string }>(server.url, 'POST', '/admin/subscribers/pusher/keys', made)).key
}

const aliases = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `e${index}`)

async function create(names: readonly string[]): Promise<void> {
  for (const alias of names) {
    await callOk(server.url, 'POST', '/admin/ingests', { ...admin, body: { alias, kind: 'series' } })
  }
}

async function push(alias: string, value: number): Promise<void> {
  const body = { D: '2026-01-01T00:00:00Z', T: 'a', V: value }
  await callOk(server.url, 'POST', `/ingests/${alias}/data`, { key, body })
}

const rowsOf = async (entity: string): Promise<number> =>
  (await callOk<unknown[]>(server.url, 'POST', '/consumer/data/select', { body: { entity } })).length

/** The number of our running tasks, those that are publishing included. */
async function tasks(): Promise<number> {
  const running = await fetch(`${addresses.druidOverlord}/druid/indexer/v1/tasks?state=running`)
  const listed = (await running.json()) as { dataSource: string }[]
  return listed.filter(({ dataSource }) => dataSource.startsWith(`${name}_`)).length
}

interface Waiting {
  readonly waiting: readonly string[]
  readonly waiting_entities: number
}

const readiness = async (): Promise<Waiting> =>
  (await callOk<{ cluster: { druid: Waiting } }>(server.url, 'GET', '/readyz', { key: adminKey })).cluster.druid

async function untilAllAreRead(expected: ReadonlyMap<string, number>, timeout: number): Promise<void> {
  const unread = async (): Promise<readonly string[]> => {
    const missing: string[] = []
    for (const [alias, rows] of expected) if ((await rowsOf(alias)) !== rows) missing.push(alias)
    return missing
  }
  await expect.poll(unread, { timeout, interval: 1000 }).toEqual([])
}

test('8 entities share 3 slots: waiting ones are reported, all are read, an idle one resumes with its next row', async () => {
  await start({ ...quick, TIDEMARK_DRUID_SLOTS: '3' })
  const names = aliases(8)
  await create(names)
  // No entity has rows, so none takes a slot.
  expect(await tasks()).toBe(0)
  await Promise.all(names.map((alias) => push(alias, 1)))

  await expect.poll(async () => (await readiness()).waiting_entities, { timeout: 60_000 }).toBe(5)
  const { waiting } = await readiness()
  expect(waiting).toHaveLength(5)
  for (const alias of names) {
    const { body } = await call<object>(server.url, 'GET', `/admin/ingests/${alias}`, admin)
    expect('waits_for_slots_since' in body).toBe(waiting.includes(alias))
  }
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  expect(metrics).toMatch(/^tidemark_waiting_entities [1-5]$/m)

  let most = 0
  const counting = setInterval(() => void tasks().then((now) => (most = Math.max(most, now))), 500)
  await untilAllAreRead(new Map(names.map((alias) => [alias, 1])), 400_000)
  clearInterval(counting)
  expect(most).toBeLessThanOrEqual(3)
  await expect.poll(async () => (await readiness()).waiting_entities, { timeout: 60_000 }).toBe(0)

  await push('e0', 2)
  await untilAllAreRead(new Map(names.map((alias) => [alias, alias === 'e0' ? 2 : 1])), 200_000)
}, 700_000)

test.runIf(isFull)(
  '300 entities, 20 of them busy, run on 24 slots',
  async () => {
    await start(patient)
    const names = aliases(300)
    await create(names)
    const busy = names.slice(0, 20)
    const expected = new Map(busy.map((alias) => [alias, 0]))
    const pushBusy = async (): Promise<void> => {
      for (const alias of busy) {
        expected.set(alias, expected.get(alias)! + 1)
        await push(alias, 1)
      }
    }
    await pushBusy()
    await untilAllAreRead(expected, 300_000)
    let isOver = false
    const pushing = (async () => {
      while (!isOver) await pushBusy()
    })()
    for (const alias of names.slice(20, 36)) {
      await push(alias, 1)
      expected.set(alias, 1)
    }
    const quietOnes = new Map([...expected].filter(([alias]) => !busy.includes(alias)))
    await untilAllAreRead(quietOnes, 1_500_000)
    isOver = true
    await pushing
    await untilAllAreRead(expected, 60_000)
  },
  2_400_000,
)
