import { setTimeout as sleep } from 'node:timers/promises'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DruidClient } from '../../src/druid-client/druid-client.ts'
import { dataSourceName, positionColumn, rowsTopic, timeColumn } from '../../src/model/druid-row.ts'
import type { EntityField } from '../../src/model/entity.ts'
import type { Plan } from '../../src/model/plan.ts'
import { Problem } from '../../src/model/problem.ts'
import { DruidStore } from '../../src/store/druid/druid-store.ts'
import { Supervisors } from '../../src/store/druid/supervision/supervisors.ts'
import { rowsOf } from '../support/expect-rows.ts'
import { always, selection, tag, time, value } from '../support/selection.ts'
import { addresses } from './addresses.ts'

const clusterName = `v${Date.now().toString(36)}`
const topic = rowsTopic(clusterName, 1)
const kafka = { clientId: 'tidemark-test', bootstrapBrokers: [addresses.kafkaBrokers] }
const admin = new Admin(kafka)
const producer = new Producer({ ...kafka, serializers: stringSerializers })

function newClient(queryUrl: string): DruidClient {
  return new DruidClient({
    queryUrl,
    managementUrl: addresses.druidOverlord,
    credentials: null,
    ca: null,
    connections: 4,
    managementTimeoutMs: 10_000,
  })
}

const client = newClient(addresses.druidBroker)
const store = storeOn(client)

function storeOn(druid: DruidClient): DruidStore {
  const settings = { clusterName, queryTimeMs: 20_000, sliceMs: 5, readRows: 10_000_000 }
  return new DruidStore({ client: druid, settings, entity: () => undefined, nowMs: Date.now })
}

function newSupervisors(): Supervisors {
  const consumerProperties = { 'bootstrap.servers': addresses.kafkaBrokers }
  const settings = { clusterName, consumerProperties, taskCount: 1, replicas: 1, taskDurationMs: 3_600_000 }
  return new Supervisors({ client, settings, nowMs: Date.now })
}

const added: EntityField = { name: 'W', type: 'long', role: 'metric' }

function select(metrics: readonly EntityField[]): Plan {
  return { kind: 'select', selection: selection({ metrics }), range: always }
}

async function produce(rows: readonly object[]): Promise<void> {
  await producer.send({ messages: rows.map((row) => ({ topic, value: JSON.stringify(row) })), acks: -1 })
}

async function untilRows(rows: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if ((await store.countPositions(1, 0, 1000, null)) === rows) return
    await sleep(200)
  }
  throw new Error(`${rows} rows did not become queryable`)
}

beforeAll(async () => {
  await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 })
})
afterAll(async () => {
  await newSupervisors().drop(1)
  await producer.close()
  await admin.deleteTopics({ topics: [topic] })
  await admin.close()
  client.close()
})

test('a supervisor is created once, reads added fields, and is removed with its entity', async () => {
  const supervisors = newSupervisors()
  const entity = { id: 1, fields: [time, tag, value], duplicates: 'keep' } as const
  expect(await rowsOf(store, select([value]))).toEqual([])
  // Several processes may do this at the same time.
  await Promise.all([supervisors.ensure([entity]), newSupervisors().ensure([entity])])
  expect(await supervisors.ensure([entity])).toEqual([])
  await produce([{ [timeColumn]: 1000, T: 'a', V: 1.5, [positionColumn]: 1 }])
  await untilRows(1)
  expect(await rowsOf(store, select([value]))).toEqual([[1000, 'a', 1.5]])

  // Druid reports it when it has next polled the task.
  await expect.poll(async () => [...((await supervisors.readFrom(1)) ?? [])], { timeout: 60_000 }).toEqual([[0, 0]])
  expect(await supervisors.readFrom(2)).toBeNull()
  // Its tasks find the field in the rows, so nothing is restarted.
  expect(await supervisors.ensure([{ ...entity, fields: [...entity.fields, added] }])).toEqual([])
  await produce([{ [timeColumn]: 2000, T: 'a', V: 2, W: 7, [positionColumn]: 2 }])
  await untilRows(2)
  expect(await rowsOf(store, select([value, added]))).toEqual([
    [1000, 'a', 1.5, null],
    [2000, 'a', 2, 7],
  ])

  const rules = async () => (await supervisors.retentions()).rulesOf(1)
  expect(await rules()).toEqual([])
  await supervisors.retain({ id: 1, retention: 'P30000D' }, await supervisors.retentions())
  expect(await rules()).toMatchObject([{ period: 'P30000D' }, { type: 'dropForever' }])
  await supervisors.retain({ id: 1, retention: 'P30000D' }, await supervisors.retentions())
  // Such a period would end every run of Druid's coordinator, for all data sources.
  await supervisors.retain({ id: 1, retention: 'P999999999Y' }, await supervisors.retentions())
  expect(await rules()).toEqual([])
  expect(await rules()).toEqual([])
  expect((await supervisors.states()).map(({ entityId }) => entityId)).toEqual([1])
  expect(await supervisors.left(new Set([1, 2]))).toEqual([1])
  await supervisors.end(1)
  expect(await supervisors.states()).toEqual([])
}, 120_000)

test('an unreachable Druid is reported as unavailable', async () => {
  const away = newClient('http://127.0.0.1:9')
  await expect(rowsOf(storeOn(away), select([value]))).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  away.close()
})

test('an aborted query rejects with the reason of its abort', async () => {
  const controller = new AbortController()
  const slow = { queryType: 'scan', dataSource: slowRows(), intervals: ['0000/3000'], columns: ['n'] }
  const reading = client.query('native', slow, { signal: controller.signal, timeoutMs: 20_000 })
  const first = reading.next()
  controller.abort(new Error('the caller has gone'))
  await expect(first).rejects.toThrow('the caller has gone')
})

test('a query that Druid refuses is not reported as an unavailable Druid', async () => {
  const body = {
    queryType: 'scan',
    dataSource: dataSourceName(clusterName, 1),
    intervals: ['0000/3000'],
    resultFormat: 'valueVector',
  }
  const reading = client.query('native', body, { signal: new AbortController().signal, timeoutMs: 20_000 })
  await expect(reading.next()).rejects.not.toBeInstanceOf(Problem)
})

function slowRows(): object {
  const rows = Array.from({ length: 1000 }, (_, n) => [n])
  return { type: 'inline', columnNames: ['n'], columnTypes: ['LONG'], rows }
}
