import { randomUUID } from 'node:crypto'
import { afterAll, describe } from 'vitest'
import { KafkaJournal } from '../../src/journal/kafka/kafka-journal.ts'
import { KafkaJournalCursor } from '../../src/journal/kafka/kafka-journal-cursor.ts'
import { positionAt } from '../../src/journal/partition-position.ts'
import { deleteTopic } from '../../src/kafka/topics.ts'
import { journalTests } from '../contract/journal.ts'
import { kafkaUnderTest } from './kafka.ts'

describe.each([
  ['one partition per entity', 1, 'none'],
  ['one partition per entity, compressed', 1, 'lz4'],
] as const)('a journal on Kafka: %s', (_, partitionsPerEntity, compression) => {
  const admin = kafkaUnderTest()
  afterAll(() => admin.close())

  journalTests(async () => {
    const name = `test-journal-${randomUUID()}`
    const partitions = 3
    const topic = { name, partitions, replicationFactor: 1, bodyBytesMax: 1 << 24 }
    const observe = (): void => undefined
    return {
      open: async ({ pendingBytesMax }) => {
        const bounds = { batchBytesMax: 1 << 22, pendingBytesMax: pendingBytesMax ?? 1 << 30, timeoutMs: 30_000 }
        const journal = new KafkaJournal({
          client: kafkaUnderTest(),
          topic,
          partitionsPerEntity,
          compression,
          ...bounds,
          observe,
        })
        await journal.ready(AbortSignal.timeout(30_000))
        return journal
      },
      openCursor: () => new KafkaJournalCursor({ client: kafkaUnderTest(), topic: name, waitMs: 0, observe }),
      firstPosition: ({ entityId }) => positionAt(entityId % partitions, 0),
      remove: () => deleteTopic(admin, name),
    }
  })
})
