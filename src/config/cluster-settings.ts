// The settings of the cluster engine, and which engine it is: a part of the table in settings.ts.
import { longestMs, mebibyte } from './measures.ts'
import { boolean, choice, integer, list, type Setting, secret, text } from './setting.ts'

const optionalUrl = /^(https?:\/\/[^\s/,]+)?$/

export const clusterSettings = {
  engine: choice({
    choices: ['embedded', 'cluster'],
    default: 'embedded',
    description:
      'What keeps the data: this process in its data folder, or Apache Kafka, Apache Druid and PostgreSQL, which any number of processes share.',
  }),
  role: choice({
    choices: ['all', 'api', 'pipeline'],
    default: 'all',
    description: 'What a process of a cluster does: it takes requests, it judges what was pushed, or both.',
  }),
  'cluster.name': text({
    default: 'tidemark',
    pattern: /^[a-z][a-z0-9_]{0,31}$/,
    allowed: 'up to 32 lower case letters, digits and underscores, a letter first',
    description:
      'What the names of its topics, data sources and of its database schema begin with: two clusters may share the servers.',
  }),
  'ingest.lanes': integer({
    default: 1,
    unit: null,
    min: 1,
    max: 64,
    description:
      'Over how many partitions of the journal the pushes to one entity are spread. Above 1 they are written in parallel, and "pushed later" holds within a lane only.',
  }),
  'kafka.brokers': list({
    pattern: /^[^\s:,]+:\d{1,5}$/,
    allowed: 'a list of addresses such as kafka-1:9092',
    description: 'Where to find Kafka. Needed by `engine=cluster`.',
  }),
  'kafka.user': text({
    default: '',
    description: 'The user name for Kafka (SASL); without one there is no authentication.',
  }),
  'kafka.password': secret({ defaultText: 'none', description: 'The password for Kafka.' }),
  'kafka.mechanism': choice({
    choices: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
    default: 'SCRAM-SHA-512',
    description: 'How the password is shown to Kafka.',
  }),
  'kafka.tls': boolean({ default: false, description: 'Speaks TLS with Kafka.' }),
  'kafka.caFile': text({
    default: '',
    description: 'A PEM file of the authorities to trust for Kafka, in place of those of the system.',
  }),
  'kafka.journalPartitions': integer({
    default: 8,
    unit: null,
    min: 1,
    max: 64,
    description: 'Partitions of the journal, when it is made. Their number never changes afterwards.',
  }),
  'kafka.replicationFactor': integer({
    default: 1,
    unit: null,
    min: 1,
    max: 16,
    description:
      'Replicas of topics that are made: 3 where there are three brokers, so that two of them hold each acknowledged push.',
  }),
  'kafka.journalRetentionMs': integer({
    default: 604_800_000,
    unit: 'milliseconds',
    min: 3_600_000,
    max: 31_536_000_000,
    description:
      'How long Kafka keeps pushes and rows at least. What is not judged, or not published by Druid, is kept however old it is.',
  }),
  'kafka.pendingBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * 1024 * mebibyte,
    description: 'How much may wait to be written to Kafka; past that a push is a 503.',
  }),
  'kafka.timeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description: 'How long a push waits for Kafka before it is a 503.',
  }),
  'kafka.compression': choice({
    choices: ['none', 'lz4', 'gzip', 'snappy'],
    default: 'none',
    description: 'How batches are written to Kafka. lz4 takes about a fifth of the room, and time of the processor.',
  }),
  'kafka.stepBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 1024 * mebibyte,
    description: 'About how much of the journal a pipeline judges in one transaction.',
  }),
  'kafka.sessionTimeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 6000,
    max: 300_000,
    description: 'A pipeline that is not heard of for so long is taken for dead, and others judge in its place.',
  }),
  'druid.router': text({
    default: '',
    pattern: optionalUrl,
    allowed: 'an address such as http://druid:8888',
    description:
      "Druid's router, which leads to all its parts. It or `druid.broker` and `druid.overlord` are needed by `engine=cluster`.",
  }),
  'druid.broker': text({
    default: '',
    pattern: optionalUrl,
    allowed: 'an address such as http://druid:8082',
    description: 'Where Druid takes queries.',
  }),
  'druid.overlord': text({
    default: '',
    pattern: optionalUrl,
    allowed: 'an address such as http://druid:8081',
    description: "Druid's overlord, with its coordinator in the same process.",
  }),
  'druid.user': text({
    default: '',
    description: 'The user name for Druid (basic authentication); without one there is none.',
  }),
  'druid.password': secret({ defaultText: 'none', description: 'The password for Druid.' }),
  'druid.caFile': text({
    default: '',
    description: 'A PEM file of the authorities to trust for Druid, in place of those of the system.',
  }),
  'druid.kafkaBrokers': text({
    default: '',
    defaultText: 'as `kafka.brokers`',
    description: "Kafka's addresses as Druid reaches them.",
  }),
  'druid.timeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description: 'How long a request about supervisors, rules and segments may take.',
  }),
  'druid.taskReplicas': integer({
    default: 1,
    unit: null,
    min: 1,
    max: 8,
    description: "Copies of the task that reads an entity's rows: with 2, queries go on while one of them is lost.",
  }),
  'druid.taskDurationMs': integer({
    default: 3_600_000,
    unit: 'milliseconds',
    min: 60_000,
    max: 86_400_000,
    description: 'How long a task reads before its rows are published as segments.',
  }),
  'druid.checkMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description: 'How often Druid is held against the catalog: its supervisors, its rules, and what was dropped.',
  }),
  'druid.slots': integer({
    default: 0,
    defaultText: 'all there are',
    unit: null,
    min: 0,
    max: 1_000_000,
    description: 'The most slots of Druid’s indexers that are taken, where others share them; 0 is all there are.',
  }),
  'druid.quietMs': integer({
    default: 600_000,
    unit: 'milliseconds',
    min: 1000,
    max: longestMs,
    description: 'An entity that got no rows for so long gives its slots back; its next rows are read within seconds.',
  }),
  'druid.quietMinMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 1000,
    max: longestMs,
    description: 'The same while another entity waits for slots.',
  }),
  'postgres.url': secret({
    defaultText: 'none',
    description:
      'Where PostgreSQL is, such as postgres://user:password@host:5432/database?sslmode=verify-full. Needed by `engine=cluster`.',
  }),
  'postgres.connections': integer({
    default: 10,
    unit: null,
    min: 2,
    max: 1000,
    description: 'The most connections to PostgreSQL of one process; one of them listens for what others change.',
  }),
  'postgres.timeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description:
      'How long a statement, or the wait for a connection or a lock of PostgreSQL, may take before what needs it is a 503.',
  }),
  'postgres.caFile': text({
    default: '',
    description: 'A PEM file of the authorities to trust for PostgreSQL, in place of those of the system.',
  }),
} satisfies Record<string, Setting>

/** A request to Kafka holds a body whole, and brokers take 100 MiB as they come. */
const clusterBodyBytesMax = 64 * mebibyte

interface Checked {
  readonly engine: 'embedded' | 'cluster'
  readonly role: string
  readonly limits: { readonly ingestBodyBytes: number }
  readonly kafka: { readonly brokers: readonly string[] }
  readonly druid: { readonly router: string; readonly broker: string; readonly overlord: string }
  readonly postgres: { readonly url: string | null }
}

/** What is missing for the engine that was chosen, or does not go with it, a sentence each. */
export function missingForEngine({ engine, role, limits, kafka, druid, postgres }: Checked): string[] {
  if (engine === 'embedded') {
    return role === 'all'
      ? []
      : [`role is for engine=cluster: with engine=embedded one process does all. Leave it out.`]
  }
  const hasDruid = druid.router !== '' || (druid.broker !== '' && druid.overlord !== '')
  return [
    ...(kafka.brokers.length > 0 ? [] : ['engine=cluster needs kafka.brokers: the addresses of Kafka.']),
    ...(hasDruid ? [] : ['engine=cluster needs druid.router, or druid.broker and druid.overlord: where Druid is.']),
    ...(postgres.url !== null ? [] : ['engine=cluster needs postgres.url: where PostgreSQL is.']),
    ...(limits.ingestBodyBytes <= clusterBodyBytesMax
      ? []
      : [`limits.ingestBodyBytes is more than Kafka takes: with engine=cluster set ${clusterBodyBytesMax} or less.`]),
  ]
}
