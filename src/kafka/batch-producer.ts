// Appends batches to one partition, each whole or not at all, and once however often it has to be sent.
import { initProducerIdV4 } from '@platformatic/kafka'
import type { KafkaClient } from './kafka-client.ts'
import { KafkaAway } from './kafka-errors.ts'
import { type Compression, newIdentity, type ProducerIdentity, produce } from './produce.ts'

interface Target {
  readonly topic: string
  readonly partition: number
  readonly compression: Compression
}

/** A new identity well before the numbers of its records run over. */
const recordsMax = 2 ** 30

export class BatchProducer {
  readonly #client: KafkaClient
  readonly #target: Target
  #identity: ProducerIdentity | null = null
  #records = 0

  constructor(client: KafkaClient, target: Target) {
    this.#client = client
    this.#target = target
  }

  /**
   * Resolves with the offset of the first value; the others follow it without a gap. One call at a time. It rejects with `KafkaAway` once
   * the signal is aborted: the batch may then be stored or not, and never is sent again.
   */
  async append(values: readonly Buffer[], signal: AbortSignal): Promise<number> {
    let stop = (): void => {}
    const late = new Promise<never>((_, reject) => {
      stop = () => reject(new KafkaAway('Kafka did not take a batch in time'))
    })
    signal.addEventListener('abort', stop)
    try {
      return await Promise.race([this.#send(values, signal), late])
    } catch (error) {
      // Whether it was stored is not known, so its numbers must not be given to another one.
      this.#identity = null
      throw error
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async #send(values: readonly Buffer[], signal: AbortSignal): Promise<number> {
    const client = this.#client
    if (this.#identity === null || this.#records + values.length > recordsMax) {
      const answer = await client.persist(() => client.ask('any', initProducerIdV4.api, null, 0, -1n, -1), signal)
      this.#identity = newIdentity(answer)
      this.#records = 0
    }
    const { compression, ...place } = this.#target
    const options = { identity: this.#identity, compression }
    const offset = await client.persist(() => produce(client, { ...place, values }, options), signal)
    this.#records += values.length
    return offset
  }
}
