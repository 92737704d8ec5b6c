// Hours that outlive their rows, on a real Druid: they are written once, and the rows expire while others arrive.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DruidClient } from '../../src/druid-client/druid-client.ts'
import { hoursSourceName, positionColumn, rowsTopic, timeColumn } from '../../src/model/druid-row.ts'
import type { EntityField, HoursKept } from '../../src/model/entity.ts'
import { type RawRows, scan } from '../../src/store/druid/druid-query.ts'
import { DruidStore } from '../../src/store/druid/druid-store.ts'
import { BatchTasks } from '../../src/store/druid/hours/batch-tasks.ts'
import { HourLines, type HourOfSeries, HourReader } from '../../src/store/druid/hours/hour-lines.ts'
import { hoursOfItems, type Item, itemFields } from '../../src/store/druid/hours/hours-of-items.ts'
import { removeReplaced } from '../../src/store/druid/hours/remove-replaced.ts'
import { writeHours } from '../../src/store/druid/hours/write-hours.ts'
import { intervalsOf } from '../../src/store/druid/native-query.ts'
import { Management } from '../../src/store/druid/supervision/management.ts'
import { Supervisors } from '../../src/store/druid/supervision/supervisors.ts'
import { call, callOk, makeIngest } from '../support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../support/cluster-under-test.ts'
import { tag, time, value } from '../support/selection.ts'
import { adminKey, ServerProcess } from '../support/server-process.ts'
import { addresses } from './addresses.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const clusterName = `h${Date.now().toString(36)}`
const long: EntityField = { name: 'N', type: 'long', role: 'metric' }
const entity = { id: 1, fields: [time, tag, value, long], duplicates: 'keep' } as const
const making = {
  untilMs: 2 * dayMs,
  pushed: [{ from: 0, before: 100 }],
  deletionId: 4,
  startedMs: 9,
  rows: null,
  isRemoving: false,
}
const topic = rowsTopic(clusterName, 1)
const kafka = { clientId: 'tidemark-test', bootstrapBrokers: [addresses.kafkaBrokers] }
const admin = new Admin(kafka)
const producer = new Producer({ ...kafka, serializers: stringSerializers })
const client = new DruidClient({
  queryUrl: addresses.druidBroker,
  managementUrl: addresses.druidOverlord,
  credentials: null,
  ca: null,
  connections: 4,
  managementTimeoutMs: 10_000,
})
const settings = { clusterName, queryTimeMs: 20_000, sliceMs: 5, readRows: 10_000_000 }
const store = new DruidStore({ client, settings, entity: () => undefined, nowMs: Date.now })
const management = new Management(client, clusterName)
const newTasks = (): BatchTasks => new BatchTasks({ management, pollEveryMs: 100 })
const supervisors = new Supervisors({
  client,
  settings: {
    clusterName,
    consumerProperties: { 'bootstrap.servers': addresses.kafkaBrokers },
    taskCount: 1,
    replicas: 1,
    taskDurationMs: 3_600_000,
  },
  nowMs: Date.now,
})

beforeAll(async () => {
  await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 })
})
afterAll(async () => {
  await supervisors.drop(1)
  await producer.close()
  await admin.deleteTopics({ topics: [topic] })
  await admin.close()
  client.close()
})

async function* madeHours(): AsyncGenerator<HourOfSeries> {
  async function* items(): AsyncGenerator<RawRows> {
    for (let hour = 0; hour < 48; hour++) {
      yield ['a', 'é\u{1f600}', null].map((id) => [
        hour * hourMs + 7,
        id,
        0.1 * hour,
        `-9223372036854775${700 + hour}`,
        hour,
      ])
    }
  }
  yield* hoursOfItems(items(), itemFields(entity))
}

async function readHours(
  cluster = clusterName,
  of: Parameters<typeof itemFields>[0] = entity,
  fromMs = 0,
  toMs = 2 * dayMs - 1,
): Promise<HourOfSeries[]> {
  const reader = new HourReader(itemFields(of))
  const target = { client, dataSource: hoursSourceName(cluster, 1), hidden: [], timeoutMs: 20_000 }
  const query = { intervals: intervalsOf(fromMs, toMs), filter: null, columns: reader.columns, limit: null }
  const read: HourOfSeries[] = []
  for await (const rows of scan({ ...target, signal: AbortSignal.timeout(20_000) }, query, reader.longs)) {
    for (const row of rows) read.push(reader.read(row))
  }
  return read
}

/** The exact lines of hours, independent of the deletions known. */
function linesOf(hours: readonly HourOfSeries[], of: Parameters<typeof itemFields>[0]): readonly string[] {
  const writer = new HourLines(itemFields(of))
  return hours.map((hour) => writer.line(hour, 0)).sort()
}

test('hours written by several processes at the same time are stored once, digit for digit', async () => {
  const expected: HourOfSeries[] = []
  for await (const hour of madeHours()) expected.push(hour)
  const write = () =>
    writeHours(
      { entity, madeMs: 0, making, hours: madeHours() },
      {
        ...{ tasks: newTasks(), clusterName, chunkBytes: 20_000, signal: AbortSignal.timeout(100_000) },
        stillDue: async () => undefined,
      },
    )
  await Promise.all([write(), write()])
  await write()
  await expect.poll(async () => (await readHours()).length, { timeout: 30_000 }).toBe(expected.length)
  expect(linesOf(await readHours(), entity)).toEqual(linesOf(expected, entity))
}, 150_000)

async function push(from: number, rows: number): Promise<void> {
  const messages = Array.from({ length: rows }, (_, row) => ({
    topic,
    value: JSON.stringify({
      ...{ [timeColumn]: (row % 3) * dayMs + row, T: 'a', V: row + 0.5, N: row },
      [positionColumn]: from + row,
    }),
  }))
  await producer.send({ messages, acks: -1 })
}

const countFrom = (from: number, before: number): Promise<number> => store.countPositions(1, from, before, null)

test('expired rows are removed while other rows arrive for the same days', async () => {
  await supervisors.ensure([entity])
  await push(0, 99)
  await expect.poll(() => countFrom(0, 100), { timeout: 60_000 }).toBe(99)
  // Druid asks tasks to publish only when it has known them for a while.
  await sleep(32_000)
  await supervisors.handOver(1, AbortSignal.timeout(60_000))
  await push(100, 30)
  await expect.poll(() => countFrom(100, 1000), { timeout: 60_000 }).toBe(30)
  const made = { goneMs: 0, madeMs: 2 * dayMs, making }
  const remove = () =>
    removeReplaced(entity, made, {
      ...{ tasks: newTasks(), clusterName, pollEveryMs: 100, pollsMax: 600, signal: AbortSignal.timeout(100_000) },
      count: () => store.countPositions(1, 0, 100, { fromMs: 0, toMs: made.madeMs - 1 }),
    })
  await Promise.all([remove(), remove(), push(130, 30)])
  // The rows of the third day stay.
  expect(await countFrom(0, 100)).toBe(33)
  await expect.poll(() => countFrom(100, 1000), { timeout: 60_000 }).toBe(60)
  await remove()
  await sleep(32_000)
  await supervisors.handOver(1, AbortSignal.timeout(60_000))
  await expect.poll(() => Promise.all([countFrom(0, 100), countFrom(100, 1000)]), { timeout: 60_000 }).toEqual([33, 60])
}, 400_000)

test('retention by PATCH, with a kill at each step: hours match their former rows, and late rows remain', async () => {
  const name = newClusterName()
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-test-'))
  const environment = {
    ...clusterEnvironment(name),
    ...{ TIDEMARK_DRUID_CHECK_MS: '1000', TIDEMARK_LIMITS_QUERY_TIME_MS: '5000' },
  }
  const start = (): Promise<ServerProcess> => ServerProcess.start({ dataDirectory, environment })
  const catalog = new pg.Client({ connectionString: addresses.postgresUrl })
  await catalog.connect()
  let server = await start()
  try {
    const admin = { key: adminKey }
    const pusher = await makeIngest(server.url, adminKey, { alias: 'kept' })
    const todayMs = Math.floor(Date.now() / dayMs) * dayMs
    const rowsOf = (days: number, rows: number) =>
      Array.from({ length: rows }, (_, row) => ({
        D: todayMs - days * dayMs + Math.floor((row * 7 * hourMs) / 6),
        T: 'abc'[row % 3]!,
        V: row * 0.1,
      }))
    const pushRows = (rows: ReturnType<typeof rowsOf>) =>
      callOk(server.url, 'POST', '/ingests/kept/data?wait=true', {
        key: pusher,
        body: rows.map(({ D, ...row }) => ({ D: new Date(D).toISOString(), ...row })),
      })
    const old = [...rowsOf(40, 20), ...rowsOf(9, 20), ...rowsOf(5, 20)]
    await pushRows([...old, ...rowsOf(1, 5)])
    const deleted = { fromMs: todayMs - 9 * dayMs, toMs: todayMs - 9 * dayMs + 5 * hourMs + 1 }
    await callOk(server.url, 'POST', '/admin/entities/kept/deletions', {
      ...admin,
      body: {
        ids: ['a'],
        start_date: new Date(deleted.fromMs).toISOString(),
        end_date: new Date(deleted.toMs).toISOString(),
        reason: 'a gauge was off',
      },
    })
    await callOk(server.url, 'PATCH', '/admin/entities/kept', {
      ...admin,
      body: { retention: 'P2D', hours_retention: null },
    })
    const made = async () => {
      const { rows } = await catalog.query(`select hours from "${name}".entities where id = 1`)
      return (JSON.parse(rows[0].hours) as HoursKept).made
    }
    const killedAt: string[] = []
    const late = rowsOf(40, 2)
    const deadline = Date.now() + 600_000
    for (let last = ''; ; await sleep(50)) {
      const now = await made()
      const at =
        now === undefined ? 'none' : `${now.making !== null} ${now.madeMs < (now.making?.untilMs ?? 0)} ${now.goneMs}`
      if (now?.goneMs === todayMs - 2 * dayMs) break
      if (Date.now() > deadline) throw new Error(`hours are not made: ${JSON.stringify(now)}`)
      if (at === last || now === undefined) continue
      last = at
      await server.kill()
      killedAt.push(at)
      server = await start()
      if (killedAt.length === 1) await pushRows(late)
    }
    expect(killedAt.length).toBeGreaterThan(3)
    const standing = old.filter(({ D, T }) => T !== 'a' || D < deleted.fromMs || D > deleted.toMs)
    const fields = { fields: [time, tag, value] }
    async function* items(): AsyncGenerator<readonly Item[]> {
      yield standing
        .map(({ D, T, V }, position): Item => [D, T, V, position])
        .sort((a, b) => Number(a[0]) - Number(b[0]))
    }
    const expected: HourOfSeries[] = []
    for await (const one of hoursOfItems(items(), itemFields(fields))) expected.push(one)
    const read = await readHours(name, fields, todayMs - 60 * dayMs, todayMs)
    expect(linesOf(read, fields)).toEqual(linesOf(expected, fields))
    const rows = new DruidStore({
      ...{ client, settings: { ...settings, clusterName: name } },
      ...{ entity: () => undefined, nowMs: Date.now },
    })
    // From then on a deletion covers whole hours only.
    const deletionOf = (toMs: number) => ({
      ...admin,
      body: { start_date: new Date(old[0]!.D).toISOString(), end_date: new Date(toMs).toISOString(), reason: 'x' },
    })
    const deletions = '/admin/entities/kept/deletions'
    const refused = await call(server.url, 'POST', deletions, deletionOf(old[0]!.D + 1000))
    expect(refused).toMatchObject({ status: 400, body: { code: 'rows_expired' } })
    await callOk(server.url, 'POST', deletions, deletionOf(old[0]!.D + 2 * hourMs))
    // Not removed: late rows, and yesterday's.
    expect(await rows.countPositions(1, 0, Number.MAX_SAFE_INTEGER, null)).toBe(late.length + 5)
  } finally {
    await server.kill()
    await catalog.end()
    await removeCluster(name)
    await rm(dataDirectory, { recursive: true, force: true })
  }
}, 700_000)
