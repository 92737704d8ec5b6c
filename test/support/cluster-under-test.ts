// A cluster under its own name on the servers under test: for tests that apply to either engine, and for concurrent processes.
import { randomBytes } from 'node:crypto'
import { Admin } from '@platformatic/kafka'
import pg from 'pg'
import { DruidClient } from '../../src/druid-client/druid-client.ts'
import { Supervisors } from '../../src/store/druid/supervision/supervisors.ts'
import { addresses } from '../cluster/addresses.ts'

/** Whether the tests of the whole service run on Kafka, Druid and PostgreSQL, as set by `npm run test:cluster`. */
export const onCluster = process.env['TIDEMARK_TEST_ENGINE'] === 'cluster'

export function newClusterName(): string {
  return `t${randomBytes(5).toString('hex')}`
}

export type ClusterAddresses = Readonly<Record<keyof typeof addresses, string>>

/** The environment variables of a process of the cluster. Few partitions, because each needs a producer. */
export function clusterEnvironment(name: string, at: Partial<ClusterAddresses> = {}): Record<string, string> {
  const { kafkaBrokers, druidBroker, druidOverlord, postgresUrl } = { ...addresses, ...at }
  return {
    TIDEMARK_ENGINE: 'cluster',
    TIDEMARK_CLUSTER_NAME: name,
    TIDEMARK_KAFKA_BROKERS: kafkaBrokers,
    TIDEMARK_KAFKA_JOURNAL_PARTITIONS: '2',
    TIDEMARK_DRUID_BROKER: druidBroker,
    TIDEMARK_DRUID_OVERLORD: druidOverlord,
    TIDEMARK_POSTGRES_URL: postgresUrl,
  }
}

/** Removes a cluster whose processes have ended: its supervisors, rows, topics and schema. */
export async function removeCluster(name: string): Promise<void> {
  await removeFromDruid(name)
  const admin = new Admin({ clientId: 'tidemark-test', bootstrapBrokers: [addresses.kafkaBrokers] })
  try {
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(`${name}.`))
    if (topics.length > 0) await admin.deleteTopics({ topics })
  } finally {
    await admin.close()
  }
  const client = new pg.Client({ connectionString: addresses.postgresUrl })
  await client.connect()
  try {
    await client.query(`drop schema if exists ${client.escapeIdentifier(name)} cascade`)
  } finally {
    await client.end()
  }
}

async function removeFromDruid(name: string): Promise<void> {
  await withSupervisors(name, async (supervisors) => {
    for (const { entityId } of await supervisors.states()) await supervisors.drop(entityId)
  })
}

/** Makes Druid publish all rows that its tasks hold. From then on queries read them from segments, and only newer rows from tasks. */
export async function publishRows(name: string): Promise<void> {
  await withSupervisors(name, async (supervisors) => {
    const signal = AbortSignal.timeout(240_000)
    const states = await supervisors.states()
    await Promise.all(states.map(({ entityId }) => supervisors.handOver(entityId, signal)))
  })
}

async function withSupervisors(name: string, work: (supervisors: Supervisors) => Promise<void>): Promise<void> {
  const managementUrl = addresses.druidOverlord
  const client = new DruidClient({
    queryUrl: addresses.druidBroker,
    managementUrl,
    credentials: null,
    ca: null,
    connections: 1,
    managementTimeoutMs: 30_000,
  })
  const consumerProperties = { 'bootstrap.servers': addresses.kafkaBrokers }
  const settings = { clusterName: name, consumerProperties, taskCount: 1, replicas: 1, taskDurationMs: 3_600_000 }
  const supervisors = new Supervisors({ client, settings, nowMs: Date.now })
  try {
    await work(supervisors)
  } finally {
    client.close()
  }
}
