import { expect, test } from 'vitest'
import type { KafkaClient } from '../kafka/kafka-client.ts'
import { TopicTrim } from './topic-trim.ts'

test('a topic that cannot be trimmed does not stop the trimming of others, and neither does the journal', async () => {
  const asked: number[] = []
  const client = { leadersOf: () => Promise.reject(new Error('no journal')) }
  const trim = new TopicTrim({
    client: client as unknown as KafkaClient,
    clusterName: 'plant',
    journal: 'plant.journal',
    group: 'plant-pipeline',
    partitions: { partition: () => Promise.reject(new Error('unused')) },
    readFrom: async (entityId) => {
      asked.push(entityId)
      if (entityId === 2) throw new Error('no entity 2')
      return null
    },
    retentionMs: 0,
    nowMs: () => 0,
    observe: () => undefined,
  })
  await expect(trim.check([1, 2, 3])).rejects.toThrow('no journal')
  expect(asked).toEqual([1, 2, 3])
})
