// Appends to a partition over a network that delays, loses and reorders messages, each abandoned at any moment: acknowledged appends exist once and in
// order, and an abandoned one never comes after one acknowledged later.

import { initProducerIdV4 } from '@platformatic/kafka'
import { expect, test } from 'vitest'
import { BatchProducer } from '../../src/kafka/batch-producer.ts'
import { KafkaUnavailable } from '../../src/kafka/kafka-errors.ts'
import { newIdentity, type ProducerIdentity, type ProducingClient, produce } from '../../src/kafka/produce.ts'
import { seededRandom } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { firstFault } from './sabotage.ts'
import { SimulatedKafka } from './simulated-kafka.ts'

const histories = Number(process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? rounds(300))
const first = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1)
/** A planted fault must be found within this number of histories. */
const canaryHistories = 300
const target = { topic: 'journal', partition: 0, compression: 'none' } as const

type Appender = Pick<BatchProducer, 'append'>

async function runHistory(seed: number, open: (client: ProducingClient) => Appender): Promise<void> {
  const random = seededRandom(seed)
  const kafka = new SimulatedKafka(random)
  const appender = open(kafka.client)
  const appends = 1 + random.below(8)
  const acknowledged: { readonly append: number; readonly offset: number; readonly values: readonly string[] }[] = []
  for (let append = 0; append < appends; append++) {
    const values = Array.from({ length: 1 + random.below(2) }, (_, index) => `${append}.${index}`)
    const giveUp = new AbortController()
    const patience = random.below(40)
    let isOver = false
    const appending = appender.append(values.map(Buffer.from), giveUp.signal).then(
      (offset) => void acknowledged.push({ append, offset, values }),
      () => undefined,
    )
    const ended = appending.then(() => {
      isOver = true
    })
    for (let step = 0; !isOver; step++) {
      if (step >= patience) giveUp.abort()
      await kafka.step()
    }
    await ended
  }
  await kafka.arrive()

  const { log } = kafka
  expect(new Set(log).size, `what is stored is stored once: ${log}`).toBe(log.length)
  for (const { offset, values } of acknowledged) {
    expect(log.slice(offset, offset + values.length), `what was acknowledged at ${offset} of ${log}`).toEqual(values)
  }
  const appendOf = (value: string): number => Number.parseInt(value, 10)
  for (const { append, offset } of acknowledged) {
    const behind = log.slice(offset).map(appendOf)
    expect(Math.min(...behind), `nothing earlier comes behind append ${append}: ${log}`).toBe(append)
  }
}

test('acknowledged appends are stored exactly once, and no earlier append is stored after them', async () => {
  const opened = (client: ProducingClient): Appender => new BatchProducer(client, target)
  expect(await firstFault({ first, count: histories }, (seed) => runHistory(seed, opened))).toBeNull()
})

/** Requests a producer identity when it has none, and keeps using it whatever the fate of its append. */
class PlantedProducer implements Appender {
  readonly #client: ProducingClient
  readonly #identities: 'of the producer' | 'of an append'
  #identity: ProducerIdentity | null = null

  constructor(client: ProducingClient, identities: 'of the producer' | 'of an append') {
    this.#client = client
    this.#identities = identities
  }

  async append(values: readonly Buffer[], signal: AbortSignal): Promise<number> {
    const givenUp = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new KafkaUnavailable(''))),
    )
    try {
      return await Promise.race([this.#send(values, signal), givenUp])
    } catch (error) {
      this.#identity = null
      throw error
    }
  }

  async #send(values: readonly Buffer[], signal: AbortSignal): Promise<number> {
    const client = this.#client
    const ask = async (): Promise<ProducerIdentity> =>
      newIdentity(await client.persist(() => client.ask('any', initProducerIdV4.api, null, 0, -1n, -1), signal))
    const identity = this.#identity ?? (await ask())
    if (this.#identities === 'of the producer' || !signal.aborted) this.#identity = identity
    const options = { identity, compression: 'none', signal: new AbortController().signal } as const
    return client.persist(() => produce(client, { ...target, values }, options), signal)
  }
}

test.each([
  ['reuses the producer identity that an abandoned append requested', 'of the producer'],
  ['never fences an abandoned append', 'of an append'],
] as const)('the same check detects a producer that %s', async (_, identities) => {
  const planted = (client: ProducingClient): Appender => new PlantedProducer(client, identities)
  expect(await firstFault({ first: 1, count: canaryHistories }, (seed) => runHistory(seed, planted))).not.toBeNull()
})
