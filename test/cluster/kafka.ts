import { type KafkaAccess, KafkaClient } from '../../src/kafka/kafka-client.ts'
import { addresses } from './addresses.ts'

export const kafkaAccess: KafkaAccess = {
  brokers: [addresses.kafkaBrokers],
  clientId: 'tidemark-test',
  tls: false,
  caFile: null,
  login: null,
  timeoutMs: 15_000,
}

export function kafkaUnderTest(): KafkaClient {
  return new KafkaClient(kafkaAccess)
}
