// The journal while Kafka is unreachable, killed and back: no acknowledged push is lost, and everything recovers on its own.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import type { JournalEntry } from '../../src/journal/journal.ts'
import { KafkaJournal, type KafkaJournalOptions } from '../../src/journal/kafka/kafka-journal.ts'
import { KafkaJournalCursor } from '../../src/journal/kafka/kafka-journal-cursor.ts'
import { positionAt } from '../../src/journal/partition-position.ts'
import { KafkaClient } from '../../src/kafka/kafka-client.ts'
import { deleteTopic } from '../../src/kafka/topics.ts'
import type { Problem } from '../../src/model/problem.ts'
import { kafkaAccess, kafkaUnderTest } from './kafka.ts'

const run = promisify(execFile)
const target = { entityId: 0, kind: 'series' } as const
const opened: { close(): unknown }[] = []
const topics: string[] = []

afterEach(async () => {
  await cluster('start')
  for (const each of opened.splice(0)) await each.close()
  const admin = kafkaUnderTest()
  for (const name of topics.splice(0)) await deleteTopic(admin, name)
  admin.close()
})

async function cluster(what: string): Promise<void> {
  await run(process.execPath, ['scripts/cluster/main.mjs', what, 'kafka'])
}

function openJournal(change: Partial<KafkaJournalOptions> = {}): KafkaJournal {
  const name = `test-away-${randomUUID()}`
  topics.push(name)
  const topic = { name, partitions: 1, replicationFactor: 1, bodyBytesMax: 1 << 20 }
  const bounds = { batchBytesMax: 1 << 20, pendingBytesMax: 1 << 20, timeoutMs: 2000 }
  const client = new KafkaClient({ ...kafkaAccess, timeoutMs: 1000 })
  const base = {
    client,
    topic,
    partitionsPerEntity: 1,
    compression: 'none',
    ...bounds,
    observe: () => undefined,
  } as const
  const journal = new KafkaJournal({ ...base, ...change })
  opened.push(journal)
  return journal
}

function entry(ingestId: number): JournalEntry {
  const rest = { fieldsVersion: 1, subscriberId: 1, receivedMs: 0, idempotencyKey: null, format: 'json' } as const
  return { ingestId, rows: 1, body: Buffer.from('[{}]'), ...rest }
}

async function untilTaken(journal: KafkaJournal, ingestId: number): Promise<number> {
  for (let tries = 0; ; tries++) {
    try {
      return await journal.append(entry(ingestId), target)
    } catch (error) {
      if (tries > 300) throw error
      await sleep(100)
    }
  }
}

test('a journal opened while Kafka is unavailable refuses pushes at once, and accepts them when Kafka is back', async () => {
  await cluster('kill')
  const journal = openJournal()
  await journal.ready(AbortSignal.timeout(500))
  expect(journal.hasFailed).toBe(true)
  await expect(journal.append(entry(1), target)).rejects.toMatchObject({ code: 'unavailable', retryAfterS: 2 })
  await expect(journal.endPosition(0)).rejects.toMatchObject({ code: 'unavailable' })
  await cluster('start')
  expect(await untilTaken(journal, 1)).toBe(positionAt(0, 0))
  expect(journal.hasFailed).toBe(false)
})

test('pushes while Kafka is killed and restarted are acknowledged and stored, or refused in time', async () => {
  const journal = openJournal()
  await journal.ready(AbortSignal.timeout(30_000))
  const acknowledged = new Set<number>()
  const refusals: Problem[] = []
  let longestMs = 0
  let isOver = false
  let ingestId = 0
  const push = async (): Promise<void> => {
    while (!isOver) {
      const own = ++ingestId
      const startedMs = performance.now()
      await journal.append(entry(own), target).then(
        () => acknowledged.add(own),
        (error) => refusals.push(error),
      )
      longestMs = Math.max(longestMs, performance.now() - startedMs)
      await sleep(5)
    }
  }
  const pushing = Promise.all(Array.from({ length: 8 }, push))
  await sleep(1000)
  for (let round = 0; round < 2; round++) {
    await cluster('kill')
    await sleep(3000)
    await cluster('start')
    await untilTaken(journal, 0)
    await sleep(1000)
  }
  isOver = true
  await pushing
  expect(new Set(refusals.map(({ code }) => code))).toEqual(new Set(['unavailable']))
  // `timeoutMs` is 2 s; the rest allows for a busy machine.
  expect(longestMs).toBeLessThan(20_000)

  const reader = new KafkaJournalCursor({
    client: kafkaUnderTest(),
    topic: topics[0]!,
    waitMs: 0,
    observe: () => undefined,
  })
  opened.push(reader)
  const found: number[] = []
  const end = await journal.endPosition(0)
  for (let position = 0; position < end; ) {
    const entries = await reader.read(position, end, 1 << 20)
    if (entries.length === 0) break
    found.push(...entries.map((each) => each.ingestId))
    position = entries.at(-1)!.position + 1
  }
  const pushed = found.filter((each) => each > 0)
  expect(new Set(pushed).size).toBe(pushed.length)
  for (const each of acknowledged) expect(pushed).toContain(each)
})
