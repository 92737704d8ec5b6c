// Hours that outlive their rows, on a real Druid: they are written once, and the rows leave while others come.
import { setTimeout as sleep } from 'node:timers/promises'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DruidClient } from '../../src/druid-client/druid-client.ts'
import { hoursSourceName, positionColumn, rowsTopic, timeColumn } from '../../src/model/druid-row.ts'
import type { EntityField } from '../../src/model/entity.ts'
import { type RawRows, scan } from '../../src/store/druid/druid-query.ts'
import { DruidStore } from '../../src/store/druid/druid-store.ts'
import { BatchTasks } from '../../src/store/druid/hours/batch-tasks.ts'
import { type HourOfSeries, HourReader } from '../../src/store/druid/hours/hour-lines.ts'
import { hoursOfItems, itemFields } from '../../src/store/druid/hours/hours-of-items.ts'
import { removeLeft } from '../../src/store/druid/hours/remove-left.ts'
import { writeHours } from '../../src/store/druid/hours/write-hours.ts'
import { intervalsOf } from '../../src/store/druid/native-query.ts'
import { Management } from '../../src/store/druid/supervision/management.ts'
import { Supervisors } from '../../src/store/druid/supervision/supervisors.ts'
import { tag, time, value } from '../support/selection.ts'
import { addresses } from './addresses.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const clusterName = `h${Date.now().toString(36)}`
const long: EntityField = { name: 'N', type: 'long', role: 'metric' }
const entity = { id: 1, fields: [time, tag, value, long], duplicates: 'keep' } as const
const making = { untilMs: 2 * dayMs, pushed: [{ from: 0, before: 100 }], deletionId: 4, startedMs: 9, rows: null }
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
const newTasks = (): BatchTasks => new BatchTasks({ management, askEveryMs: 100 })
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
        `-9223372036854775${800 + hour}`,
        hour,
      ])
    }
  }
  yield* hoursOfItems(items(), itemFields(entity))
}

async function readHours(): Promise<HourOfSeries[]> {
  const reader = new HourReader(itemFields(entity))
  const target = { client, dataSource: hoursSourceName(clusterName, 1), hidden: [], timeoutMs: 20_000 }
  const query = { intervals: intervalsOf(0, 2 * dayMs - 1), filter: null, columns: reader.columns, limit: null }
  const read: HourOfSeries[] = []
  for await (const rows of scan({ ...target, signal: AbortSignal.timeout(20_000) }, query, reader.longs)) {
    for (const row of rows) read.push(reader.read(row))
  }
  return read
}

const inOrder = (hours: readonly HourOfSeries[]): readonly HourOfSeries[] =>
  hours.toSorted((a, b) => a.hour.hourMs - b.hour.hourMs || (JSON.stringify(a.tags) < JSON.stringify(b.tags) ? -1 : 1))

test('hours that several processes write at once are there once, digit for digit', async () => {
  const expected: HourOfSeries[] = []
  for await (const { tags, hour } of madeHours())
    expected.push({ tags, hour: { ...hour, position: making.deletionId } })
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
  expect(inOrder(await readHours())).toEqual(inOrder(expected))
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

test('rows that have left are removed while others come to their days', async () => {
  await supervisors.ensure([entity])
  await push(0, 99)
  await expect.poll(() => countFrom(0, 100), { timeout: 60_000 }).toBe(99)
  // Druid asks tasks to publish once it knows them well.
  await sleep(32_000)
  await supervisors.handOver(1, AbortSignal.timeout(60_000))
  await push(100, 30)
  await expect.poll(() => countFrom(100, 1000), { timeout: 60_000 }).toBe(30)
  const made = { goneMs: 0, madeMs: 2 * dayMs, making }
  const remove = () =>
    removeLeft(entity, made, {
      ...{ tasks: newTasks(), store, clusterName, askEveryMs: 100, asksMax: 600, signal: AbortSignal.timeout(100_000) },
    })
  await Promise.all([remove(), remove(), push(130, 30)])
  // The third day is not among it.
  expect(await countFrom(0, 100)).toBe(33)
  await expect.poll(() => countFrom(100, 1000), { timeout: 60_000 }).toBe(60)
  await remove()
  await sleep(32_000)
  await supervisors.handOver(1, AbortSignal.timeout(60_000))
  await expect.poll(() => Promise.all([countFrom(0, 100), countFrom(100, 1000)]), { timeout: 60_000 }).toEqual([33, 60])
}, 400_000)
