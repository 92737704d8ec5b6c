// Requests to Kafka: chooses the broker, keeps one connection to each, and limits the time of every request. The order of requests is decided elsewhere.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type API, Connection, findCoordinatorV4, metadataV12, type SASLMechanismValue } from '@platformatic/kafka'
import { timerMs } from '../lib/timer.ts'
import { firstAnswer } from './first-answer.ts'
import { errorIds, isTransient, KafkaUnavailable } from './kafka-errors.ts'

export interface KafkaAccess {
  /** `host:port`. */
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly tls: boolean
  /** A PEM file of trusted authorities; null for those of the system. */
  readonly caFile: string | null
  /** Null for no authentication. */
  readonly login: { readonly mechanism: SASLMechanismValue; readonly user: string; readonly password: string } | null
  /** A response that takes longer is ignored, and the connection is dropped. */
  readonly timeoutMs: number
}

interface Broker {
  readonly host: string
  readonly port: number
}

/** Any broker, or the one with this id. */
type Target = number | 'any'

/** A connection that is being made, or was made. */
interface Joined {
  readonly connection: Connection
  readonly ready: Promise<Connection>
}

const coordinatorTypes = { group: 0, transaction: 1 } as const
const firstPauseMs = 20
const longestPauseMs = 500
/** Where any broker will do, the next one is tried if a broker has not responded within this share of the timeout. */
const tryShare = 1 / 8
const never = new AbortController().signal

export class KafkaClient {
  readonly #access: KafkaAccess
  readonly #connectionOptions: ConstructorParameters<typeof Connection>[1]
  readonly #connections = new Map<string, Joined>()
  readonly #brokers = new Map<number, Broker>()
  readonly #leaders = new Map<string, readonly number[]>()
  readonly #coordinators = new Map<string, number>()
  /** When brokers were late or unreachable, by address. A broker that responds is removed. */
  readonly #failedMs = new Map<string, number>()
  #closed = false

  constructor(access: KafkaAccess) {
    // A sibling may have a timeout that is somewhat longer than the largest setting.
    const timeoutMs = timerMs(access.timeoutMs)
    this.#access = { ...access, timeoutMs }
    const { login, tls, caFile } = access
    this.#connectionOptions = {
      connectTimeout: timeoutMs,
      requestTimeout: timerMs(2 * timeoutMs),
      maxInflights: 1000,
      ...(tls ? { tls: caFile === null ? {} : { ca: readFileSync(caFile) }, tlsServerName: true } : {}),
      ...(login === null
        ? {}
        : { sasl: { mechanism: login.mechanism, username: login.user, password: login.password } }),
    }
  }

  /** Another client of the same Kafka, with its own connections: a broker handles the requests of a connection one after another. */
  sibling(changes: Partial<Pick<KafkaAccess, 'timeoutMs'>> = {}): KafkaClient {
    return new KafkaClient({ ...this.#access, ...changes })
  }

  get timeoutMs(): number {
    return this.#access.timeoutMs
  }

  /**
   * A request to `any` may be sent to several brokers if the first does not respond soon, so it must be harmless when executed twice. Throws
   * `KafkaUnavailable`, and Kafka's own errors.
   */
  async ask<Arguments extends unknown[], Answer>(
    target: Target,
    api: API<Arguments, Answer>,
    ...args: Arguments
  ): Promise<Answer> {
    return this.askUntil(never, target, api, ...args)
  }

  /** Like `ask`, but sends nothing more after the signal is aborted. */
  async askUntil<Arguments extends unknown[], Answer>(
    signal: AbortSignal,
    target: Target,
    api: API<Arguments, Answer>,
    ...args: Arguments
  ): Promise<Answer> {
    const send = (connection: Connection): Promise<Answer> => {
      if (signal.aborted) throw new KafkaUnavailable('a request to Kafka was given up before it was sent')
      return api.async(connection, ...args)
    }
    if (target === 'any') return this.#askAny(send)
    const broker = this.#brokers.get(target)
    if (broker === undefined) throw new KafkaUnavailable(`Kafka currently has no broker ${target}`)
    return this.#askAt(broker, send)
  }

  /** The broker that leads a partition. */
  async leaderOf(topic: string, partition: number): Promise<number> {
    const leaders = this.#leaders.get(topic) ?? (await this.leadersOf(topic))
    const leader = leaders[partition]
    if (leader !== undefined && leader >= 0) return leader
    this.forget()
    throw new KafkaUnavailable(`partition ${partition} of ${topic} currently has no leader`)
  }

  /** The leaders of all partitions of a topic, requested from Kafka again. Throws Kafka's UNKNOWN_TOPIC_OR_PARTITION where there is no such topic. */
  async leadersOf(topic: string): Promise<readonly number[]> {
    const { brokers, topics } = await this.ask('any', metadataV12.api, [topic], false, false)
    for (const { nodeId, host, port } of brokers) this.#brokers.set(nodeId, { host, port })
    const leaders: number[] = []
    for (const { partitionIndex, leaderId } of topics[0]?.partitions ?? []) leaders[partitionIndex] = leaderId
    this.#leaders.set(topic, leaders)
    return leaders
  }

  /** All current brokers. */
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
    if (found === undefined) throw new KafkaUnavailable(`Kafka names no coordinator of ${key}`)
    this.#brokers.set(found.nodeId, { host: found.host, port: found.port })
    this.#coordinators.set(name, found.nodeId)
    return found.nodeId
  }

  /** Discards the known leaders and coordinators, so that they are requested again. */
  forget(): void {
    this.#leaders.clear()
    this.#coordinators.clear()
  }

  /**
   * Retries transient failures until the signal is aborted. Then it rejects with the last failure, or with `KafkaUnavailable` if nothing was tried.
   */
  async persist<T>(work: () => Promise<T>, signal: AbortSignal, passes = isTransient): Promise<T> {
    if (signal.aborted) throw new KafkaUnavailable('a request to Kafka was given up before it began')
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
      try {
        return await work()
      } catch (error) {
        if (!passes(error) || signal.aborted || this.#closed) throw error
        // This error ends in a moment, and the coordinator is the right one.
        if (errorIds(error)[0] === 'CONCURRENT_TRANSACTIONS') pauseMs = firstPauseMs
        else this.forget()
        await sleep(pauseMs, undefined, { signal }).catch(() => {})
        if (signal.aborted) throw error
      }
    }
  }

  /** Ends all connections at once. Requests without a response fail. */
  close(): void {
    this.#closed = true
    for (const [address, joined] of this.#connections) this.#drop(address, joined)
  }

  /** If a broker does not respond soon, the next one is tried too, and the slow one comes last from then on. */
  #askAny<Answer>(send: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    const bootstrap = this.#access.brokers.map((address) => {
      const at = address.lastIndexOf(':')
      return { host: address.slice(0, at), port: Number(address.slice(at + 1)) }
    })
    const brokers = new Map([...this.#brokers.values(), ...bootstrap].map((broker) => [addressOf(broker), broker]))
    const failedMs = (address: string): number => this.#failedMs.get(address) ?? 0
    const ordered = [...brokers].toSorted(([one], [other]) => failedMs(one) - failedMs(other))
    const attempts = ordered.map(([address, broker]) => ({
      begin: () => this.#askAt(broker, send),
      late: () => this.#note(address, false),
    }))
    if (attempts.length === 0) return Promise.reject(new KafkaUnavailable('no address of Kafka is known'))
    const lateAfterMs = this.#access.timeoutMs * tryShare
    return firstAnswer(attempts, { lateAfterMs, isUnavailable: (error) => error instanceof KafkaUnavailable })
  }

  #note(address: string, hasAnswered: boolean): void {
    if (hasAnswered) this.#failedMs.delete(address)
    else this.#failedMs.set(address, performance.now())
  }

  #connection(broker: Broker): Joined {
    if (this.#closed) throw new KafkaUnavailable('the client of Kafka is closed')
    const address = addressOf(broker)
    const known = this.#connections.get(address)
    if (known !== undefined) return known
    const connection = new Connection(this.#access.clientId, this.#connectionOptions)
    const joined = { connection, ready: this.#connect(connection, broker) }
    const leave = (): void => this.#leave(address, joined)
    connection.on('error', leave)
    connection.on('close', leave)
    joined.ready.catch(leave)
    this.#connections.set(address, joined)
    return joined
  }

  async #connect(connection: Connection, { host, port }: Broker): Promise<Connection> {
    try {
      await connection.connect(host, port)
      return connection
    } catch (error) {
      connection.socket?.destroy()
      throw new KafkaUnavailable(`Kafka at ${host}:${port} cannot be reached: ${messageOf(error)}`, { cause: error })
    }
  }

  /** Resolves with the response, or rejects with `KafkaUnavailable` after the timeout, which includes making the connection. */
  async #askAt<Answer>(broker: Broker, send: (connection: Connection) => Promise<Answer>): Promise<Answer> {
    const address = addressOf(broker)
    const joined = this.#connection(broker)
    let timer: NodeJS.Timeout | undefined
    let mayBeSent = false
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        this.#drop(address, joined)
        reject(new KafkaUnavailable(`Kafka at ${address} does not answer`, { mayBeSent }))
      }, this.#access.timeoutMs)
    })
    const sent = (connection: Connection): Promise<Answer> => {
      mayBeSent = true
      return send(connection)
    }
    try {
      const answer = await Promise.race([joined.ready.then(sent), late])
      this.#note(address, true)
      return answer
    } catch (error) {
      const hasAnswered = errorIds(error).length > 0
      this.#note(address, hasAnswered)
      if (error instanceof KafkaUnavailable || hasAnswered) throw error
      throw new KafkaUnavailable(`Kafka at ${address}: ${messageOf(error)}`, { cause: error, mayBeSent })
    } finally {
      clearTimeout(timer)
    }
  }

  #drop(address: string, joined: Joined): void {
    this.#leave(address, joined)
    const { connection } = joined
    // Fails pending connects and requests. `close` alone waits until everything is written, and `destroy` does not end a pending connect.
    void connection.close()
    connection.socket?.destroy()
  }

  /** Removes the connection, unless another one to the same broker has been made since. */
  #leave(address: string, joined: Joined): void {
    if (this.#connections.get(address) === joined) this.#connections.delete(address)
  }
}

function addressOf({ host, port }: Broker): string {
  return `${host}:${port}`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message
}
