// Addresses of the cluster's servers and how to connect to them, from the settings.
import { readFileSync } from 'node:fs'
import type { Settings } from '../../config/settings.ts'
import type { DruidClientSettings } from '../../druid-client/druid-client.ts'
import type { JournalTopic } from '../../journal/kafka/journal-topic.ts'
import type { KafkaAccess } from '../../kafka/kafka-client.ts'
import type { RowsTopicSettings } from '../../kafka/rows-topics.ts'
import type { SupervisionSettings } from '../../store/druid/supervision/supervisor-spec.ts'

export function kafkaAccess({ kafka }: Settings, clientId: string): KafkaAccess {
  return {
    brokers: kafka.brokers,
    clientId,
    tls: kafka.tls,
    caFile: kafka.caFile === '' ? null : kafka.caFile,
    login: kafka.user === '' ? null : { mechanism: kafka.mechanism, user: kafka.user, password: kafka.password ?? '' },
    timeoutMs: kafka.timeoutMs,
  }
}

export function journalTopic({ cluster, kafka, limits }: Settings): JournalTopic {
  return {
    name: `${cluster.name}.journal`,
    partitions: kafka.journalPartitions,
    replicationFactor: kafka.replicationFactor,
    bodyBytesMax: limits.ingestBodyBytes,
  }
}

export function rowsTopicSettings({ cluster, kafka, ingest, limits }: Settings): RowsTopicSettings {
  return {
    clusterName: cluster.name,
    partitions: ingest.lanes,
    replicationFactor: kafka.replicationFactor,
    // A row is part of a body, so it cannot be larger.
    rowBytesMax: Math.min(limits.rowBytes, limits.ingestBodyBytes),
  }
}

export function druidClientSettings({ druid, limits }: Settings): DruidClientSettings {
  const address = (own: string): string => (own === '' ? druid.router : own).replace(/(?<!\/)\/+$/, '')
  return {
    queryUrl: address(druid.broker),
    managementUrl: address(druid.overlord),
    credentials: druid.user === '' ? null : { user: druid.user, password: druid.password ?? '' },
    ca: druid.caFile === '' ? null : readFileSync(druid.caFile, 'utf8'),
    // One of our queries may run several Druid queries at once.
    connections: 2 * limits.runningQueries,
    managementTimeoutMs: druid.timeoutMs,
  }
}

export function supervisionSettings({ cluster, kafka, druid, ingest }: Settings): SupervisionSettings {
  const brokers = druid.kafkaBrokers === '' ? kafka.brokers.join(',') : druid.kafkaBrokers
  return {
    clusterName: cluster.name,
    consumerProperties: { 'bootstrap.servers': brokers, ...securityProperties(kafka) },
    taskCount: ingest.lanes,
    replicas: druid.taskReplicas,
    taskDurationMs: druid.taskDurationMs,
  }
}

/** In the form that Kafka's Java client, which Druid uses, expects. */
function securityProperties({ tls, caFile, user, password, mechanism }: Settings['kafka']): Record<string, string> {
  const loginModule =
    mechanism === 'PLAIN'
      ? 'org.apache.kafka.common.security.plain.PlainLoginModule'
      : 'org.apache.kafka.common.security.scram.ScramLoginModule'
  const text = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`
  const [plain, encrypted] = user === '' ? ['PLAINTEXT', 'SSL'] : ['SASL_PLAINTEXT', 'SASL_SSL']
  return {
    ...(tls || user !== '' ? { 'security.protocol': tls ? encrypted : plain } : {}),
    // The authorities are part of the properties, so that Druid's servers need no file for them.
    ...(tls && caFile !== ''
      ? { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': readFileSync(caFile, 'utf8') }
      : {}),
    ...(user === ''
      ? {}
      : {
          'sasl.mechanism': mechanism,
          'sasl.jaas.config': `${loginModule} required username=${text(user)} password=${text(password ?? '')};`,
        }),
  }
}
