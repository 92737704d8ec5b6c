// Nothing expires from Kafka by age: rows that were not validated, or that Druid has not published, are kept however old they are.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openJournalTopic } from '../../src/journal/kafka/journal-topic.ts'
import { positionAt } from '../../src/journal/partition-position.ts'
import { BatchProducer } from '../../src/kafka/batch-producer.ts'
import { endOffset } from '../../src/kafka/read-partition.ts'
import { leastFreeBytes } from '../../src/kafka/retained-records.ts'
import { RowsTopics } from '../../src/kafka/rows-topics.ts'
import { deleteTopic, ensureTopic, messageBytes, topicSetting } from '../../src/kafka/topics.ts'
import { rowsTopic } from '../../src/model/druid-row.ts'
import { TopicTrim } from '../../src/partitions/topic-trim.ts'
import { kafkaUnderTest } from './kafka.ts'

const clusterName = `t${randomBytes(5).toString('hex')}`
const journal = `${clusterName}.journal`
const rows = rowsTopic(clusterName, 1)
const client = kafkaUnderTest()
const within = (): AbortSignal => AbortSignal.timeout(30_000)
const dayMs = 86_400_000

async function fill(topic: string): Promise<void> {
  const producer = new BatchProducer(client, { topic, partition: 0, compression: 'none' })
  for (let record = 0; record < 6; record++) await producer.append([Buffer.from(`record ${record}`)], within())
}

const firstOffset = (topic: string): Promise<number> => endOffset(client, { topic, partition: 0 }, 'first')

beforeAll(async () => {
  // As an earlier version created it, for smaller bodies.
  const settings = { 'max.message.bytes': '100000', 'retention.ms': '604800000' }
  await ensureTopic(client, { name: journal, partitions: 1, replicationFactor: 1, settings }, within())
  await openJournalTopic(
    client,
    { name: journal, partitions: 1, replicationFactor: 1, bodyBytesMax: 1 << 20 },
    within(),
  )
  const topics = { clusterName, partitions: 1, replicationFactor: 1, rowBytesMax: 1 << 20 }
  await new RowsTopics(client, topics).ensure(1, within())
  await fill(journal)
  await fill(rows)
})
afterAll(async () => {
  await deleteTopic(client, journal)
  await deleteTopic(client, rows)
  client.close()
})

test.each([journal, rows])('the topic %s has unlimited retention', async (topic) => {
  expect(await topicSetting(client, topic, 'retention.ms')).toBe('-1')
  expect(await topicSetting(client, topic, 'retention.bytes')).toBe('-1')
})

const [mebibyte, headroomBytes] = [2 ** 20, 2 ** 22]
const takenBytes = async (topic: string): Promise<number> => Number(await topicSetting(client, topic, messageBytes))
const openRows = (rowBytesMax: number): RowsTopics =>
  new RowsTopics(client, { clusterName, partitions: 1, replicationFactor: 1, rowBytesMax })

test('existing topics accept larger messages after bodies and rows may be larger, and their limit never shrinks', async () => {
  const taken: number[][] = []
  for (const bytes of [mebibyte, 3 * mebibyte, mebibyte]) {
    await openJournalTopic(
      client,
      { name: journal, partitions: 1, replicationFactor: 1, bodyBytesMax: bytes },
      within(),
    )
    await openRows(bytes).ensure(1, within())
    taken.push([await takenBytes(journal), await takenBytes(rows)])
  }
  const large = [3 * mebibyte * (1 + 1 / 32) + mebibyte, 6 * mebibyte + headroomBytes]
  expect(taken).toEqual([[mebibyte * (1 + 1 / 32) + mebibyte, 2 * mebibyte + headroomBytes], large, large])
})

test("a row that is larger than the topic's message limit is stored nevertheless", async () => {
  const record = Buffer.alloc(12 * mebibyte, '\n')
  const topics = openRows(mebibyte)
  const [batch] = await topics.batches(2, 0, [record], within())
  const producer = new BatchProducer(client, { topic: batch!.topic, partition: batch!.partition, compression: 'none' })
  const append = async (): Promise<number> => producer.append(batch!.values, within())
  // Brokers learn of it a moment later.
  await expect.poll(() => append().catch(() => null), { timeout: 10_000 }).toBe(0)
  await topics.remove(2)
})

describe('records that are no longer needed are deleted', () => {
  let validated = 0
  let published: number | null = null
  let nowMs = Date.now()
  const trim = new TopicTrim({
    client,
    clusterName,
    journal,
    group: `${clusterName}-pipeline`,
    partitions: {
      partition: async (partition) => ({
        partition,
        keptPosition: 0,
        processedPosition: positionAt(partition, validated),
      }),
    },
    readFrom: async () => (published === null ? null : new Map([[0, published]])),
    retentionMs: 7 * dayMs,
    nowMs: () => nowMs,
    observe: () => undefined,
  })
  const check = async (): Promise<readonly number[]> => {
    await trim.check([1])
    return [await firstOffset(journal), await firstOffset(rows)]
  }

  test('but not records that are young, not validated or not published', async () => {
    ;[validated, published] = [3, 2]
    expect(await check()).toEqual([0, 0])
    nowMs += 30 * dayMs
    ;[validated, published] = [0, null]
    expect(await check()).toEqual([0, 0])
    expect(await check()).toEqual([0, 0])
  })

  test('rows are deleted only after Druid has reported the same position twice', async () => {
    ;[validated, published] = [3, 4]
    expect(await check()).toEqual([3, 0])
    published = 2
    expect(await check()).toEqual([3, 2])
    ;[validated, published] = [6, 6]
    expect(await check()).toEqual([6, 2])
    expect(await check()).toEqual([6, 6])
  })
})

test('Kafka reports the free space of its disks', async () => {
  const free = await leastFreeBytes(client)
  expect(Number.isFinite(free) && free > 0).toBe(true)
})
