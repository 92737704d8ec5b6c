// Which transaction requests are sent again, and which are not: Kafka may still carry out a request that it received without responding.
import {
  addOffsetsToTxnV3,
  addPartitionsToTxnV3,
  endTxnV3,
  initProducerIdV4,
  ProtocolError,
  produceV9,
  txnOffsetCommitV3,
} from '@platformatic/kafka'
import { expect, test } from 'vitest'
import { isTransient, KafkaUnavailable } from './kafka-errors.ts'
import { type TransactingClient, TransactionalProducer } from './transactional-producer.ts'

const apis = new Map<unknown, string>([
  [initProducerIdV4.api, 'begin'],
  [addPartitionsToTxnV3.api, 'add partitions'],
  [addOffsetsToTxnV3.api, 'add offsets'],
  [produceV9.api, 'produce'],
  [txnOffsetCommitV3.api, 'commit offset'],
  [endTxnV3.api, 'end'],
])

const failures = {
  'was not sent': () => new KafkaUnavailable('refused'),
  'was not answered': () => new KafkaUnavailable('silent', { mayBeSent: true }),
  'came too early': () => new ProtocolError('COORDINATOR_LOAD_IN_PROGRESS'),
}

/** Responds to everything, except that the first request of one kind fails; records the requests. */
function failingOnce(kind: string, failure: () => Error): { client: TransactingClient; asked: string[] } {
  const asked: string[] = []
  const ask: TransactingClient['ask'] = async <Answer>(_: unknown, api: unknown, ...__: unknown[]): Promise<Answer> => {
    const own = apis.get(api) ?? 'unknown'
    const isFirst = !asked.includes(own)
    asked.push(own)
    if (own === kind && isFirst) throw failure()
    const answer: unknown = {
      producerId: 1n,
      producerEpoch: 0,
      responses: [{ partitionResponses: [{ baseOffset: 0n }] }],
    }
    return answer as Answer
  }
  const client: TransactingClient = {
    timeoutMs: 1000,
    ask,
    askUntil: (_, ...request) => ask(...request),
    leaderOf: async () => 1,
    coordinatorOf: async () => 1,
    persist: async (work, _, passes = isTransient) => {
      for (;;) {
        try {
          return await work()
        } catch (error) {
          if (!passes(error)) throw error
        }
      }
    },
  }
  return { client, asked }
}

const harmless = ['begin', 'produce']
const cases = [...apis.values()].flatMap((kind) =>
  (Object.keys(failures) as (keyof typeof failures)[]).map((failure) => ({
    kind,
    failure,
    times: failure !== 'was not answered' || harmless.includes(kind) ? 2 : 1,
  })),
)

test.each(cases)('the request "$kind" that $failure is sent $times times', async ({ kind, failure, times }) => {
  const { client, asked } = failingOnce(kind, failures[failure])
  const options = { transactionalId: 'partition', compression: 'none', transactionTimeoutMs: 1000 } as const
  const producer = new TransactionalProducer(client, options)
  await producer.begin(AbortSignal.timeout(5000))
  const batches = [{ topic: 'rows', partition: 0, values: [Buffer.from('row')] }]
  const reached = { group: 'pipeline', topic: 'journal', partition: 0, offset: 7 }
  const committed = await producer.commit(batches, reached, 5000).then(
    () => true,
    () => false,
  )
  expect({ times: asked.filter((one) => one === kind).length, committed }).toEqual({ times, committed: times === 2 })
})

test('each batch of a transaction has its own time limit', async () => {
  const { client } = failingOnce('none', failures['was not sent'])
  const signals: AbortSignal[] = []
  const noting: TransactingClient = {
    ...client,
    persist: (work, signal, passes) => {
      signals.push(signal)
      return client.persist(work, signal, passes)
    },
  }
  const options = { transactionalId: 'partition', compression: 'none', transactionTimeoutMs: 1000 } as const
  const producer = new TransactionalProducer(noting, options)
  await producer.begin(AbortSignal.timeout(5000))
  const batches = Array.from({ length: 20 }, () => ({ topic: 'rows', partition: 0, values: [Buffer.from('row')] }))
  await producer.commit(batches, { group: 'pipeline', topic: 'journal', partition: 0, offset: 7 }, 5000)
  const others = 5
  expect([signals.length, new Set(signals).size]).toEqual([20 + others, 20 + others])
})
