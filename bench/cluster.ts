// Pushes and queries of engine=cluster compared, in one run, with the same rows and queries sent directly to Kafka and Druid.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Admin, Producer, stringSerializers } from '@platformatic/kafka'
import { supervisorSpec } from '../src/store/druid/supervision/supervisor-spec.ts'
import { addresses } from '../test/cluster/addresses.ts'
import { callOk } from '../test/support/api.ts'
import { clusterEnvironment, newClusterName, removeCluster } from '../test/support/cluster-under-test.ts'
import { ServerProcess } from '../test/support/server-process.ts'
import { handSql } from './by-hand.ts'
import { median, printTable, quantile } from './figures.ts'
import { request, runLoad } from './load.ts'
import { makePlant, plantBodies, plantFields } from './plant.ts'
import { askFor, pointsOfTag, questions } from './questions.ts'

const rowsInBody = 1000
/** The number of rows pushed to measure the rate; the rest of a larger data set is pushed afterwards, for the queries. */
const rateRowsMax = 1_000_000
const connections = 8
const entity = 1

interface Rates {
  readonly acknowledged: number
  readonly queryable: number
}

export async function benchCluster(rows: number): Promise<void> {
  const name = newClusterName()
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  const environment = { ...clusterEnvironment(name), TIDEMARK_LIMITS_RESULT_ROWS: '2000000' }
  const bodies = bodiesOf(rows)
  const rateBodies = take(bodies, Math.min(rows, rateRowsMax) / rowsInBody)
  const bare = await measureBare(`${name}bare`, rateBodies)
  const server = await ServerProcess.start({ dataDirectory, environment })
  const second = await ServerProcess.start({ dataDirectory, environment: { ...environment, TIDEMARK_ROLE: 'api' } })
  try {
    const key = await makePlant(server.url, 'plant')
    // The task is running when it has read a row.
    await callOk(server.url, 'POST', '/ingests/plant/data?wait=true', { key, text: rateBodies[0]! })
    const one = await measurePushes([server.url], key, name, rateBodies.slice(1))
    printRates(rateBodies.length * rowsInBody, bare, one)
    await printFreshness(server.url, key)
    await measurePushes([server.url], key, name, bodies)
    await printQueries(server.url, name, rows)
    const two = await measurePushes([server.url, second.url], key, name, rateBodies)
    const times = (two.acknowledged / one.acknowledged).toFixed(2)
    console.log(`\ntwo API processes: ${thousands(two.acknowledged)} k rows/s acknowledged, ${times} times that of one`)
  } finally {
    await Promise.all([server.stop(), second.stop()])
    await removeCluster(name)
    await removeCluster(`${name}bare`)
    await rm(dataDirectory, { recursive: true, force: true })
  }
}

const thousands = (rate: number): string => (rate / 1000).toFixed(1)

function printRates(rows: number, bare: Rates, tidemark: Rates): void {
  printTable(
    `${rows / 1e6} million rows into one entity`,
    ['what', 'acknowledged k rows/s', 'queryable k rows/s'],
    [
      ['a producer and a supervisor by hand', thousands(bare.acknowledged), thousands(bare.queryable)],
      ['pushes over HTTP', thousands(tidemark.acknowledged), thousands(tidemark.queryable)],
      [
        'share',
        (tidemark.acknowledged / bare.acknowledged).toFixed(2),
        (tidemark.queryable / bare.queryable).toFixed(2),
      ],
    ],
  )
}

/** Generated while they are sent, because twenty million rows do not fit into memory. */
function* bodiesOf(rows: number): Generator<string> {
  const tags = Math.max(1, Math.round(rows / pointsOfTag))
  for (const { body } of plantBodies(tags, Math.ceil(rows / tags), rowsInBody)) yield body
}

function take(bodies: Iterator<string>, count: number): string[] {
  return Array.from({ length: count }, () => bodies.next().value as string)
}

/** The number of rows of a data source; 0 while Druid does not know it. */
async function countedBy(dataSource: string): Promise<number> {
  const query = {
    queryType: 'timeseries',
    dataSource,
    intervals: ['1000-01-01/3000-01-01'],
    granularity: 'all',
    aggregations: [{ type: 'count', name: 'rows' }],
  }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(query)
  const response = await fetch(`${addresses.druidBroker}/druid/v2`, { method: 'POST', headers, body })
  const answer = (await response.json()) as readonly { readonly result: { readonly rows: number } }[]
  return answer[0]?.result.rows ?? 0
}

async function untilCounted(dataSource: string, rows: number): Promise<void> {
  while ((await countedBy(dataSource)) < rows) await sleep(50)
}

/** One record per row, as written by a program that has only Kafka and Druid. */
async function measureBare(name: string, bodies: readonly string[]): Promise<Rates> {
  const topic = `${name}.rows.${entity}`
  const kafka = { clientId: 'tidemark-bench', bootstrapBrokers: [addresses.kafkaBrokers] }
  const admin = new Admin(kafka)
  await admin.createTopics({ topics: [topic], partitions: 1, replicas: 1 })
  await admin.close()
  const consumerProperties = { 'bootstrap.servers': addresses.kafkaBrokers }
  const settings = { clusterName: name, consumerProperties, taskCount: 1, replicas: 1, taskDurationMs: 3_600_000 }
  const spec = supervisorSpec({ id: entity, fields: plantFields, duplicates: 'keep' }, settings)
  await callOk(addresses.druidOverlord, 'POST', '/druid/indexer/v1/supervisor', { body: spec })
  const producer = new Producer({ ...kafka, serializers: stringSerializers })
  const send = (values: readonly string[]) =>
    producer.send({ messages: values.map((value) => ({ topic, value })), acks: -1 })
  const lines = bodies.map((body) =>
    (JSON.parse(body) as { D: string }[]).map(({ D, ...rest }) => JSON.stringify({ __time: Date.parse(D), ...rest })),
  )
  // The task is running when it has read a row.
  await send(lines[0]!.slice(0, 1))
  await untilCounted(`${name}_${entity}`, 1)
  const startedMs = performance.now()
  let next = 0
  let sent = 1
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let batch = lines[next++]; batch !== undefined; batch = lines[next++]) {
        sent += batch.length
        await send(batch)
      }
    }),
  )
  const acknowledged = (sent * 1000) / (performance.now() - startedMs)
  await untilCounted(`${name}_${entity}`, sent)
  await producer.close()
  return { acknowledged, queryable: (sent * 1000) / (performance.now() - startedMs) }
}

/** Pushes to all addresses at once until there are no more bodies, and waits until Druid has counted their rows. */
async function measurePushes(
  urls: readonly string[],
  key: string,
  name: string,
  bodies: Iterable<string>,
): Promise<Rates> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const counted = await countedBy(`${name}_${entity}`)
  const left = bodies[Symbol.iterator]()
  let total = 0
  const startedMs = performance.now()
  const loads = urls.map((url) =>
    runLoad({
      url,
      connections: connections / urls.length,
      next: () => {
        const { value, done } = left.next()
        if (done === true) return null
        total += rowsInBody
        return request(url, 'POST', '/ingests/plant/data', headers, value)
      },
    }),
  )
  await Promise.all(loads)
  const acknowledged = (total * 1000) / (performance.now() - startedMs)
  await untilCounted(`${name}_${entity}`, counted + total)
  return { acknowledged, queryable: (total * 1000) / (performance.now() - startedMs) }
}

/** The time from the 200 for a push of one row to a response that contains the row. */
async function printFreshness(url: string, key: string): Promise<void> {
  const samples: number[] = []
  for (let value = 0; value < 40; value++) {
    const D = new Date(Date.UTC(2027, 0, 1) + value * 1000).toISOString()
    const row = { D, T: 'fresh', area: 'a', V: value, W: 0 }
    await callOk(url, 'POST', '/ingests/plant/data', { key, body: row })
    const answeredMs = performance.now()
    const body = { entity: 'plant', ids: ['fresh'], start_date: D, end_date: D }
    while ((await callOk<unknown[]>(url, 'POST', '/consumer/data/select', { body })).length === 0) await sleep(5)
    samples.push(performance.now() - answeredMs)
  }
  const [p50, p99] = [quantile(samples, 0.5), quantile(samples, 0.99)]
  console.log(`\nfrom a 200 to queryable: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`)
}

async function printQueries(url: string, name: string, rows: number): Promise<void> {
  const tags = Math.max(1, Math.round(rows / pointsOfTag))
  const lines: string[][] = []
  const ratios: number[] = []
  for (const question of questions(tags)) {
    const byHand = {
      ...question,
      path: '/druid/v2/sql',
      body: (random: () => number) => ({
        query: handSql(`${name}_${entity}`, question.path, question.body(random)),
        resultFormat: 'array',
      }),
    }
    const [ours, theirs] = [await askFor(url, question, 1, 1500), await askFor(addresses.druidBroker, byHand, 1, 1500)]
    const [oursMs, theirsMs] = [quantile(ours.latenciesMs, 0.5), quantile(theirs.latenciesMs, 0.5)]
    ratios.push(oursMs / theirsMs)
    lines.push([question.name, oursMs.toFixed(1), theirsMs.toFixed(1), (oursMs / theirsMs).toFixed(2)])
  }
  printTable(`${rows / 1e6} million rows in Druid`, ['query', 'p50 ms', 'SQL by hand p50 ms', 'ratio'], lines)
  console.log(`\nmedian ratio ${median(ratios).toFixed(2)}`)
}
