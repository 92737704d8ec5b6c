// Appends batches to one partition, each whole or not at all, and only once even if it has to be sent several times.
import { initProducerIdV4 } from '@platformatic/kafka'
import { KafkaUnavailable } from './kafka-errors.ts'
import {
  type Compression,
  newIdentity,
  nextEpoch,
  type ProducerIdentity,
  type ProducingClient,
  produce,
} from './produce.ts'

interface Target {
  readonly topic: string
  readonly partition: number
  readonly compression: Compression
}

/** A new identity is requested well before the sequence numbers of its records overflow. */
const recordsMax = 2 ** 30

export class BatchProducer {
  readonly #client: ProducingClient
  readonly #target: Target
  /** Passed to one append at a time, and reused only after its batch was acknowledged. */
  #identity: ProducerIdentity | null = null
  #records = 0

  constructor(client: ProducingClient, target: Target) {
    this.#client = client
    this.#target = target
  }

  /**
   * Resolves with the offset of the first value; the others follow it without a gap. One call at a time. Rejects with `KafkaUnavailable` when the signal is
   * aborted: the batch may then be stored or not, possibly a moment later, but never after a batch of a later call.
   */
  async append(values: readonly Buffer[], signal: AbortSignal): Promise<number> {
    const attempt = { values, signal, identity: this.#takeIdentity(values.length) }
    const offset = await orGivenUp(this.#send(attempt), signal).catch((error: unknown) => {
      // It is not known whether the batch was stored, and it may still be on its way. In the next epoch Kafka does not mistake another batch for this one, and
      // rejects this one after it has accepted another.
      this.#identity = attempt.identity === null ? null : nextEpoch(attempt.identity)
      throw error
    })
    this.#identity = attempt.identity
    this.#records += values.length
    return offset
  }

  #takeIdentity(records: number): ProducerIdentity | null {
    const identity = this.#records + records > recordsMax ? null : this.#identity
    this.#identity = null
    if (identity === null) this.#records = 0
    return identity
  }

  /** Continues for a moment after its append was given up, but changes nothing except the attempt, and sends nothing more. */
  async #send(attempt: {
    readonly values: readonly Buffer[]
    readonly signal: AbortSignal
    identity: ProducerIdentity | null
  }): Promise<number> {
    const { values, signal } = attempt
    const { compression, ...place } = this.#target
    const client = this.#client
    attempt.identity ??= newIdentity(
      await client.persist(() => client.ask('any', initProducerIdV4.api, null, 0, -1n, -1), signal),
    )
    const options = { identity: attempt.identity, compression, signal }
    return client.persist(() => produce(client, { ...place, values }, options), signal)
  }
}

/** Rejects with `KafkaUnavailable` as soon as the signal is aborted, however long the work takes. */
async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp = (): void => {}
  const late = new Promise<never>((_, reject) => {
    giveUp = () => reject(new KafkaUnavailable('Kafka did not take a batch in time'))
  })
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  try {
    return await Promise.race([work, late])
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
