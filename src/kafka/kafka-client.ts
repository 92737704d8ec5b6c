// Requests to Kafka: which broker to ask, over one connection to each, and never without an end. What is asked in which order is elsewhere.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type API, Connection, findCoordinatorV4, metadataV12, type SASLMechanismValue } from '@platformatic/kafka'
import { errorIds, isPassing, KafkaAway } from './kafka-errors.ts'

export interface KafkaAccess {
  /** `host:port`. */
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly tls: boolean
  /** A PEM file of the authorities to trust; null for those of the system. */
  readonly caFile: string | null
  /** Null for no authentication. */
  readonly login: { readonly mechanism: SASLMechanismValue; readonly user: string; readonly password: string } | null
  /** An answer that takes longer does not count, and the connection is given up. */
  readonly timeoutMs: number
}

interface Broker {
  readonly host: string
  readonly port: number
}

/** What is asked of any broker, or of the one with this id. */
type Target = number | 'any'

const coordinatorTypes = { group: 0, transaction: 1 } as const
const firstPauseMs = 20
const longestPauseMs = 500

export class KafkaClient {
  readonly #access: KafkaAccess
  readonly #connectionOptions: ConstructorParameters<typeof Connection>[1]
  readonly #connections = new Map<string, Promise<Connection>>()
  readonly #brokers = new Map<number, Broker>()
  readonly #leaders = new Map<string, readonly number[]>()
  readonly #coordinators = new Map<string, number>()
  #closed = false

  constructor(access: KafkaAccess) {
    this.#access = access
    const { login, tls, caFile, timeoutMs } = access
    this.#connectionOptions = {
      connectTimeout: timeoutMs,
      requestTimeout: 2 * timeoutMs,
      maxInflights: 1000,
      ...(tls ? { tls: caFile === null ? {} : { ca: readFileSync(caFile) }, tlsServerName: true } : {}),
      ...(login === null
        ? {}
        : { sasl: { mechanism: login.mechanism, username: login.user, password: login.password } }),
    }
  }

  /** Another client of the same Kafka, with connections of its own: a broker answers the requests of a connection one after another. */
  sibling(changes: Partial<Pick<KafkaAccess, 'timeoutMs'>> = {}): KafkaClient {
    return new KafkaClient({ ...this.#access, ...changes })
  }

  get timeoutMs(): number {
    return this.#access.timeoutMs
  }

  /** Throws `KafkaAway`, and Kafka's own errors. */
  async ask<Arguments extends unknown[], Answer>(
    target: Target,
    api: API<Arguments, Answer>,
    ...args: Arguments
  ): Promise<Answer> {
    if (target === 'any') {
      const { connection, address } = await this.#anyConnection()
      return this.#within(address, connection, api.async(connection, ...args))
    }
    const broker = this.#brokers.get(target)
    if (broker === undefined) throw new KafkaAway(`Kafka has no broker ${target} now`)
    const address = `${broker.host}:${broker.port}`
    const connection = await this.#connection(address, broker)
    return this.#within(address, connection, api.async(connection, ...args))
  }

  /** The broker that leads a partition. */
  async leaderOf(topic: string, partition: number): Promise<number> {
    const leaders = this.#leaders.get(topic) ?? (await this.leadersOf(topic))
    const leader = leaders[partition]
    if (leader !== undefined && leader >= 0) return leader
    this.forget()
    throw new KafkaAway(`partition ${partition} of ${topic} has no leader now`)
  }

  /** The leaders of all partitions of a topic, asked anew. Throws Kafka's UNKNOWN_TOPIC_OR_PARTITION where there is no such topic. */
  async leadersOf(topic: string): Promise<readonly number[]> {
    const { brokers, topics } = await this.ask('any', metadataV12.api, [topic], false, false)
    for (const { nodeId, host, port } of brokers) this.#brokers.set(nodeId, { host, port })
    const leaders: number[] = []
    for (const { partitionIndex, leaderId } of topics[0]?.partitions ?? []) leaders[partitionIndex] = leaderId
    this.#leaders.set(topic, leaders)
    return leaders
  }

  /** All brokers there are now. */
  async brokerIds(): Promise<readonly number[]> {
    const { brokers } = await this.ask('any', metadataV12.api, [], false, false)
    for (const { nodeId, host, port } of brokers) this.#brokers.set(nodeId, { host, port })
    return brokers.map(({ nodeId }) => nodeId)
  }

  async coordinatorOf(type: keyof typeof coordinatorTypes, key: string): Promise<number> {
    const name = `${type} ${key}`
    const known = this.#coordinators.get(name)
    if (known !== undefined) return known
    const { coordinators } = await this.ask('any', findCoordinatorV4.api, coordinatorTypes[type], [key])
    const found = coordinators[0]
    if (found === undefined) throw new KafkaAway(`Kafka names no coordinator of ${key}`)
    this.#brokers.set(found.nodeId, { host: found.host, port: found.port })
    this.#coordinators.set(name, found.nodeId)
    return found.nodeId
  }

  /** Who leads and coordinates is asked anew from now on. */
  forget(): void {
    this.#leaders.clear()
    this.#coordinators.clear()
  }

  /** Tries again what fails in a way that passes, until the signal is aborted: then it rejects with the last failure. */
  async persist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        return await work()
      } catch (error) {
        if (!isPassing(error) || signal.aborted || this.#closed) throw error
        // This one is over in a moment, and the coordinator is the right one.
        if (errorIds(error)[0] === 'CONCURRENT_TRANSACTIONS') pauseMs = firstPauseMs
        else this.forget()
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
        if (signal.aborted) throw error
      }
    }
  }

  /** Ends all connections at once: what waits for an answer fails. */
  close(): void {
    this.#closed = true
    for (const [address, connecting] of this.#connections) {
      void connecting.then(
        (connection) => this.#drop(address, connection),
        () => {},
      )
    }
  }

  async #anyConnection(): Promise<{ readonly connection: Connection; readonly address: string }> {
    const known = [...this.#brokers.values()].map(({ host, port }) => `${host}:${port}`)
    let failure: unknown = new KafkaAway('no address of Kafka is known')
    for (const address of new Set([...known, ...this.#access.brokers])) {
      const at = address.lastIndexOf(':')
      try {
        const broker = { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
        return { connection: await this.#connection(address, broker), address }
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  #connection(address: string, broker: Broker): Promise<Connection> {
    if (this.#closed) return Promise.reject(new KafkaAway('the client of Kafka is closed'))
    const known = this.#connections.get(address)
    if (known !== undefined) return known
    const connecting = this.#connect(address, broker)
    this.#connections.set(address, connecting)
    return connecting
  }

  async #connect(address: string, { host, port }: Broker): Promise<Connection> {
    const connection = new Connection(this.#access.clientId, this.#connectionOptions)
    connection.on('error', () => this.#connections.delete(address))
    connection.on('close', () => this.#connections.delete(address))
    try {
      await connection.connect(host, port)
      return connection
    } catch (error) {
      this.#connections.delete(address)
      connection.socket?.destroy()
      throw new KafkaAway(`Kafka at ${address} cannot be reached: ${messageOf(error)}`, { cause: error })
    }
  }

  /** An answer, or `KafkaAway`. */
  async #within<Answer>(address: string, connection: Connection, answer: Promise<Answer>): Promise<Answer> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#drop(address, connection)
        reject(new KafkaAway(`Kafka at ${address} does not answer`))
      }, this.#access.timeoutMs)
    })
    try {
      return await Promise.race([answer, late])
    } catch (error) {
      if (error instanceof KafkaAway || errorIds(error).length > 0) throw error
      throw new KafkaAway(`Kafka at ${address}: ${messageOf(error)}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  #drop(address: string, connection: Connection): void {
    this.#connections.delete(address)
    connection.socket?.destroy()
  }
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
