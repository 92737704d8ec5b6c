// A cluster of its own name on the servers under test: for tests that hold with either engine, and for processes side by side.
import { randomBytes } from 'node:crypto'
import { Admin } from '@platformatic/kafka'
import pg from 'pg'
import { DruidClient } from '../../src/druid-client/druid-client.ts'
import { Supervisors } from '../../src/store/druid/supervision/supervisors.ts'
import { addresses } from '../cluster/addresses.ts'

/** Whether the tests of the whole service run on Kafka, Druid and PostgreSQL: `npm run test:cluster` says so. */
export const onCluster = process.env['TIDEMARK_TEST_ENGINE'] === 'cluster'

export function newClusterName(): string {
  return `t${randomBytes(5).toString('hex')}`
}

export type ClusterAddresses = Readonly<Record<keyof typeof addresses, string>>

/** The settings of a process of the cluster, as its environment. Few partitions: each costs a producer. */
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

/** Takes all of a cluster away whose processes have ended: supervisors, rows, topics, and its schema. */
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

/** Has Druid publish all rows that its tasks hold: from then on they are answered from segments, and only newer ones from tasks. */
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
