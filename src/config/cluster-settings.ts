// The settings of the cluster engine, and the choice of the engine, for the table in settings.ts.
import { longestMs, mebibyte } from './measures.ts'
import { choice, flag, integer, list, type Setting, secret, text } from './setting.ts'

const optionalUrl = /^(https?:\/\/[^\s/,]+)?$/

export const clusterSettings = {
  engine: choice({
    choices: ['embedded', 'cluster'],
    default: 'embedded',
    description:
      'Where the data is. `embedded`: in this process and its data folder. `cluster`: in Apache Kafka, Apache Druid and PostgreSQL, shared by any number of processes.',
  }),
  role: choice({
    choices: ['all', 'api', 'pipeline'],
    default: 'all',
    description:
      'The work of a cluster process: `api` takes requests, `pipeline` validates pushed rows, `all` does both.',
  }),
  'cluster.name': text({
    default: 'tidemark',
    pattern: /^[a-z][a-z0-9_]{0,31}$/,
    allowed: 'up to 32 lower case letters, digits and underscores, a letter first',
    description:
      'The prefix of topics, data sources and the database schema. Two clusters with different names can share the same servers.',
  }),
  'ingest.lanes': integer({
    default: 1,
    unit: null,
    min: 1,
    max: 64,
    description:
      'How many partitions of the journal the pushes to one entity are spread over. Above 1 they are written in parallel, and "pushed later" holds only within a partition.',
  }),
  'kafka.brokers': list({
    pattern: /^[^\s:,]+:\d{1,5}$/,
    allowed: 'a list of addresses such as kafka-1:9092',
    description: 'The addresses of Kafka. Required with `engine=cluster`.',
  }),
  'kafka.user': text({
    default: '',
    description: 'The user name for Kafka (SASL). Leave it out to connect without authentication.',
  }),
  'kafka.password': secret({ defaultText: 'none', description: 'The password for Kafka.' }),
  'kafka.mechanism': choice({
    choices: ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
    default: 'SCRAM-SHA-512',
    description: 'The SASL mechanism for Kafka.',
  }),
  'kafka.tls': flag({ default: false, description: 'Whether to use TLS with Kafka.' }),
  'kafka.caFile': text({
    default: '',
    description: "A PEM file of the certificate authorities to trust for Kafka, in place of the system's.",
  }),
  'kafka.journalPartitions': integer({
    default: 8,
    unit: null,
    min: 1,
    max: 64,
    description: 'The partitions of the journal when it is created. The number never changes afterwards.',
  }),
  'kafka.replicationFactor': integer({
    default: 1,
    unit: null,
    min: 1,
    max: 16,
    description:
      'The replicas of topics that Tidemark creates. With three brokers use 3, so that two brokers hold each acknowledged push.',
  }),
  'kafka.journalRetentionMs': integer({
    default: 604_800_000,
    unit: 'milliseconds',
    min: 3_600_000,
    max: 31_536_000_000,
    description:
      'The least time that Kafka keeps pushes and rows. It keeps pushes that are not validated and rows that Druid has not published, however old.',
  }),
  'kafka.pendingBytes': integer({
    default: 256 * mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 64 * 1024 * mebibyte,
    description: 'The most bytes that wait to be written to Kafka. Beyond it a push gets a 503.',
  }),
  'kafka.timeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description: 'The longest that a push waits for Kafka. After that it gets a 503.',
  }),
  'kafka.compression': choice({
    choices: ['none', 'lz4', 'gzip', 'snappy'],
    default: 'none',
    description:
      'The compression of batches for Kafka. lz4 makes them about a fifth as large and takes some processor time.',
  }),
  'kafka.stepBytes': integer({
    default: mebibyte,
    unit: 'bytes',
    min: 65_536,
    max: 1024 * mebibyte,
    description: 'About how many bytes of the journal a pipeline validates in one transaction.',
  }),
  'kafka.sessionTimeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 6000,
    max: 300_000,
    description: 'The longest that a pipeline may be silent. After that other pipelines take over its partitions.',
  }),
  'druid.router': text({
    default: '',
    pattern: optionalUrl,
    allowed: 'an address such as http://druid:8888',
    description:
      "The address of Druid's router, which leads to all parts of Druid. `engine=cluster` requires it, or `druid.broker` and `druid.overlord`.",
  }),
  'druid.broker': text({
    default: '',
    pattern: optionalUrl,
    allowed: 'an address such as http://druid:8082',
    description: "The address of Druid's broker, which answers queries.",
  }),
  'druid.overlord': text({
    default: '',
    pattern: optionalUrl,
    allowed: 'an address such as http://druid:8081',
    description: "The address of Druid's overlord, which runs in the same process as the coordinator.",
  }),
  'druid.user': text({
    default: '',
    description: 'The user name for Druid (basic authentication). Leave it out to connect without authentication.',
  }),
  'druid.password': secret({ defaultText: 'none', description: 'The password for Druid.' }),
  'druid.caFile': text({
    default: '',
    description: "A PEM file of the certificate authorities to trust for Druid, in place of the system's.",
  }),
  'druid.kafkaBrokers': text({
    default: '',
    defaultText: 'as `kafka.brokers`',
    description: 'The addresses at which Druid reaches Kafka.',
  }),
  'druid.timeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description: 'The longest that a request about supervisors, rules or segments may take.',
  }),
  'druid.taskReplicas': integer({
    default: 1,
    unit: null,
    min: 1,
    max: 8,
    description: "How many replicas of a task read an entity's rows. With 2, queries go on if one is lost.",
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
    description: "How often Druid's supervisors, rules and dropped data are compared with the catalog.",
  }),
  'druid.slots': integer({
    default: 0,
    defaultText: 'all there are',
    unit: null,
    min: 0,
    max: 1_000_000,
    description: "The most slots of Druid's indexers that Tidemark uses, if others share them. 0 is all.",
  }),
  'druid.quietMs': integer({
    default: 600_000,
    unit: 'milliseconds',
    min: 1000,
    max: longestMs,
    description:
      'An entity without new rows for this long gives its slots back. Its next rows are read within seconds.',
  }),
  'druid.quietMinMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 1000,
    max: longestMs,
    description: '`druid.quietMs` while another entity waits for slots.',
  }),
  'postgres.url': secret({
    defaultText: 'none',
    description:
      'The address of PostgreSQL, such as postgres://user:password@host:5432/database?sslmode=verify-full. Required with `engine=cluster`.',
  }),
  'postgres.connections': integer({
    default: 10,
    unit: null,
    min: 2,
    max: 1000,
    description:
      'The most connections of one process to PostgreSQL. One of them listens for changes by other processes.',
  }),
  'postgres.timeoutMs': integer({
    default: 10_000,
    unit: 'milliseconds',
    min: 100,
    max: longestMs,
    description:
      'The longest that a PostgreSQL statement may take, and the longest wait for a connection or a lock. After that the request gets a 503.',
  }),
  'postgres.caFile': text({
    default: '',
    description: "A PEM file of the certificate authorities to trust for PostgreSQL, in place of the system's.",
  }),
} satisfies Record<string, Setting>

/** A request to Kafka contains a whole body, and brokers accept 100 MiB by default. */
const clusterBodyBytesMax = 64 * mebibyte

interface Checked {
  readonly engine: 'embedded' | 'cluster'
  readonly role: string
  readonly limits: { readonly ingestBodyBytes: number }
  readonly kafka: { readonly brokers: readonly string[] }
  readonly druid: { readonly router: string; readonly broker: string; readonly overlord: string }
  readonly postgres: { readonly url: string | null }
}

/** A sentence for each setting that the chosen engine lacks or does not support. */
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
      : [`limits.ingestBodyBytes is more than Kafka accepts: with engine=cluster set ${clusterBodyBytesMax} or less.`]),
  ]
}
