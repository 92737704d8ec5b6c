// One partition of Kafka behind a network that delays, loses and reorders messages. The broker handles the sequence numbers of producers as Kafka does.
import { initProducerIdV4, ProtocolError, produceV9 } from '@platformatic/kafka'
import { isTransient, KafkaUnavailable } from '../../src/kafka/kafka-errors.ts'
import type { ProducerIdentity, ProducingClient } from '../../src/kafka/produce.ts'
import type { Random } from '../support/random.ts'

interface KnownBatch {
  readonly first: number
  readonly last: number
  readonly offset: number
}

interface KnownProducer {
  readonly epoch: number
  readonly batches: readonly KnownBatch[]
}

/** A request or its response in transit. */
interface Request {
  /** Lets the broker process the request and returns the delivery of the response; null after that. */
  handle: (() => () => void) | null
  answer: (() => void) | null
  /** Null after the client has lost the connection. */
  fail: ((error: Error) => void) | null
}

/** The number of a producer's newest batches that Kafka recognizes. */
const batchesKnown = 5

export class SimulatedKafka {
  /** The values of the partition, by offset. */
  readonly log: string[] = []
  readonly #random: Random
  readonly #producers = new Map<bigint, KnownProducer>()
  readonly #requests = new Set<Request>()
  #producerIds = 0n

  constructor(random: Random) {
    this.#random = random
  }

  get client(): ProducingClient {
    const ask: ProducingClient['ask'] = (_, api, ...args) => this.#send(this.#asked(api, args))
    return {
      timeoutMs: 1000,
      ask,
      askUntil: async (signal, ...request) => {
        // The connection may have to be made first.
        await this.#send(() => null)
        if (signal.aborted) throw new KafkaUnavailable('given up before it was sent')
        return ask(...request)
      },
      leaderOf: () => this.#send(() => 1),
      persist: async (work, signal) => {
        for (;;) {
          if (signal.aborted) throw new KafkaUnavailable('given up before it began')
          try {
            return await work()
          } catch (error) {
            if (!isTransient(error) || signal.aborted) throw error
          }
        }
      },
    }
  }

  /** Makes one thing happen to one of the requests in transit. */
  async step(): Promise<void> {
    const request = this.#drawn([...this.#requests])
    const happens = this.#random.below(10)
    if (request === null) return settled()
    if (happens === 0) this.#breakOff(request)
    else if (happens < 6) this.#handle(request)
    else if (request.answer !== null) {
      request.answer()
      this.#requests.delete(request)
    }
    await settled()
  }

  /** Delivers all requests still on their way to the broker, in any order. */
  async arrive(): Promise<void> {
    for (;;) {
      const request = this.#drawn([...this.#requests].filter(({ handle }) => handle !== null))
      if (request === null) return
      this.#handle(request)
      await settled()
    }
  }

  #drawn(requests: readonly Request[]): Request | null {
    return requests[this.#random.below(requests.length)] ?? null
  }

  /** The client notices the failure; a request that it sent may be lost, or arrive later. */
  #breakOff(request: Request): void {
    request.fail?.(new KafkaUnavailable('the connection is broken'))
    request.fail = null
    request.answer = null
    if (request.handle === null || this.#random.below(2) === 0) this.#requests.delete(request)
  }

  #handle(request: Request): void {
    const answer = request.handle?.()
    request.handle = null
    if (answer === undefined) return
    if (request.fail === null) this.#requests.delete(request)
    else request.answer = answer
  }

  #send<Answer>(work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const handle = (): (() => void) => {
        try {
          const answer = work()
          return () => resolve(answer)
        } catch (error) {
          return () => reject(error)
        }
      }
      this.#requests.add({ handle, answer: null, fail: reject })
    })
  }

  /** The broker's processing of a request. The request is encoded when it is sent, so later changes to its producer's numbers do not affect it. */
  #asked<Answer>(api: unknown, args: readonly unknown[]): () => Answer
  #asked(api: unknown, args: readonly unknown[]): () => unknown {
    if (api === initProducerIdV4.api) return () => ({ producerId: ++this.#producerIds, producerEpoch: 0 })
    if (api !== produceV9.api) throw new Error('the simulated Kafka does not know this request')
    const [, , messages, identity] = args as [number, number, readonly { readonly value: Buffer }[], ProducerIdentity]
    const values = messages.map(({ value }) => String(value))
    const first = [...identity.sequences.values()][0] ?? 0
    return () => {
      const offset = this.#append(values, { ...identity, first })
      return { responses: [{ partitionResponses: [{ baseOffset: BigInt(offset) }] }] }
    }
  }

  /** Like Kafka's ProducerStateManager: a known batch returns its offset, and one out of sequence is refused. */
  #append(
    values: readonly string[],
    numbers: Omit<ProducerIdentity, 'sequences'> & { readonly first: number },
  ): number {
    const { producerId, producerEpoch: epoch, first } = numbers
    const last = first + values.length - 1
    const known = this.#producers.get(producerId)
    if (known !== undefined) {
      const same = known.batches.find((batch) => batch.first === first && batch.last === last)
      if (known.epoch === epoch && same !== undefined) return same.offset
      if (epoch < known.epoch) throw new ProtocolError('INVALID_PRODUCER_EPOCH')
      const next = epoch > known.epoch ? 0 : known.batches.at(-1)!.last + 1
      if (first !== next) throw new ProtocolError('OUT_OF_ORDER_SEQUENCE_NUMBER')
    }
    const offset = this.log.length
    this.log.push(...values)
    const before = known?.epoch === epoch ? known.batches : []
    this.#producers.set(producerId, { epoch, batches: [...before, { first, last, offset }].slice(-batchesKnown) })
    return offset
  }
}

/** Resolves when everything that needs no network has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
