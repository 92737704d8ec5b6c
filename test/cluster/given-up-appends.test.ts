// The fate of an abandoned append at a real Kafka: it may be stored, but never after a later one, and no later one is mistaken for it.
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { BatchProducer } from '../../src/kafka/batch-producer.ts'
import type { ProducingClient } from '../../src/kafka/produce.ts'
import { fetchRecords } from '../../src/kafka/read-partition.ts'
import { deleteTopic, ensureTopic } from '../../src/kafka/topics.ts'
import { kafkaUnderTest } from './kafka.ts'

const kafka = kafkaUnderTest()
const topic = `test-given-up-${randomUUID()}`
const place = { topic, partition: 0 }

afterAll(async () => {
  await deleteTopic(kafka, topic)
  kafka.close()
})

/** A client that can hold back requests to the leader until they are released; abandoned ones are then sent as well. */
function slowClient() {
  const held: (() => Promise<unknown>)[] = []
  let isSlow = false
  const client: ProducingClient = {
    timeoutMs: kafka.timeoutMs,
    ask: (...request) => kafka.ask(...request),
    leaderOf: (...partition) => kafka.leaderOf(...partition),
    persist: (...work) => kafka.persist(...work),
    askUntil: (_, ...request) =>
      isSlow
        ? new Promise((resolve, reject) => {
            held.push(() => kafka.ask(...request).then(resolve, reject))
          })
        : kafka.ask(...request),
  }
  const slow = (is: boolean): void => {
    isSlow = is
  }
  const letGo = async (): Promise<void> => {
    for (const send of held.splice(0)) await send()
  }
  return { client, slow, letGo }
}

test('an abandoned append is fenced off by the next append, or is stored before it', async () => {
  const signal = AbortSignal.timeout(30_000)
  await ensureTopic(kafka, { name: topic, partitions: 1, replicationFactor: 1, settings: {} }, signal)
  const { client, slow, letGo } = slowClient()
  const producer = new BatchProducer(client, { ...place, compression: 'none' })
  const append = (value: string, within = signal): Promise<number> => producer.append([Buffer.from(value)], within)
  const givenUp = async (value: string): Promise<void> => {
    slow(true)
    await expect(append(value, AbortSignal.timeout(300))).rejects.toMatchObject({ name: 'KafkaUnavailable' })
    slow(false)
  }

  expect(await append('first')).toBe(0)
  await givenUp('late')
  expect(await append('second')).toBe(1)
  await letGo()
  await givenUp('early')
  await letGo()
  expect(await append('third')).toBe(3)
  expect(await append('fourth')).toBe(4)

  const { records } = await fetchRecords(kafka, { ...place, offset: 0, bytesMax: 1 << 20, waitMs: 0 })
  expect(records.map(({ value }) => String(value))).toEqual(['first', 'second', 'early', 'third', 'fourth'])
})
