// Pushes messages of a broker as rows of an ingest. A message is acknowledged to the broker after its rows are on disk.

import type { TidemarkClient } from '../client/client.ts'
import { sleepOn, systemClock } from '../client/clock.ts'
import { withRetries } from '../client/retries.ts'
import { ServiceError } from '../client/service-error.ts'
import { IngestWriter } from '../client/writer.ts'
import type { BatchOutcome } from '../client/writer-options.ts'
import { messageOf } from '../lib/message-of.ts'
import { Acknowledgements } from './acknowledgements.ts'
import {
  type BrokerConnection,
  BrokerError,
  type BrokerOptions,
  type ConnectBroker,
  type ReceivedMessage,
} from './broker.ts'
import { type MappingOptions, messageRows, unmappedRow } from './message-rows.ts'
import { type MappedMessage, type SparkplugLimits, SparkplugNodes } from './sparkplug/sparkplug-nodes.ts'
import { rebirthRequest } from './sparkplug/sparkplug-payload.ts'
import { isSparkplug } from './sparkplug/sparkplug-topic.ts'

export interface ConnectorOptions {
  readonly broker: BrokerOptions
  readonly connect: ConnectBroker
  readonly client: Pick<TidemarkClient, 'push'>
  readonly ingest: string
  readonly mapping: MappingOptions
  readonly sparkplug: SparkplugLimits & {
    /** Whether to request births from nodes. */
    readonly mayAsk: boolean
  }
  readonly maxBatchRows: number
  readonly maxBufferedBytes: number
  readonly flushIntervalMs: number
  /** Stops the connector. Rows being pushed have `drainMs` to be acknowledged. */
  readonly signal: AbortSignal
  readonly onNote: (text: string) => void
}

/** Totals of a connector's run. */
export interface ConnectorCounts {
  readonly messages: number
  readonly rows: number
  /** Resent messages that were recognized and not processed twice. */
  readonly again: number
}

const drainMs = 10_000
/** How often messages that wait for a birth are checked for their timeout. */
const waitingEveryMs = 250

/** Whether retrying cannot succeed: the rows are invalid, or too many or too large together. */
const isHopeless = (error: unknown): boolean =>
  error instanceof ServiceError &&
  ['body_too_large', 'too_many_rows', 'invalid_json', 'invalid_body'].includes(error.code)

interface Owner {
  readonly message: ReceivedMessage
  readonly firstRow: number
  readonly lastRow: number
}

class Connector {
  readonly #options: ConnectorOptions
  readonly #writer: IngestWriter
  readonly #acknowledgements = new Acknowledgements()
  readonly #sparkplug: SparkplugNodes
  readonly #waiting: ReceivedMessage[] = []
  /** Messages whose rows are being pushed, in the order of the rows. */
  #owners: Owner[] = []
  #working = false
  #connection: BrokerConnection | null = null
  #written = 0
  messages = 0
  again = 0

  constructor(options: ConnectorOptions, stop: AbortSignal) {
    this.#options = options
    const { client, ingest, maxBatchRows, maxBufferedBytes, flushIntervalMs, onNote } = options
    this.#writer = new IngestWriter((body, request) => client.push(ingest, body, request), {
      maxBatchRows,
      maxBufferedBytes,
      flushIntervalMs,
      retryMs: Number.POSITIVE_INFINITY,
      // No one else has these messages, so whatever the service responds, they wait until it accepts them.
      isRetryable: (error) => !isHopeless(error),
      onRetry: (error, waitMs) => onNote(`${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
      onBatch: (outcome) => this.#settle(outcome),
      signal: stop,
    })
    const { mapping, sparkplug } = options
    this.#sparkplug = new SparkplugNodes({
      ...{ ...sparkplug, mapping, nowMs: () => systemClock.nowMs(), onNote },
      ask: sparkplug.mayAsk ? (topic) => this.#connection?.publish(topic, rebirthRequest(Date.now())) : null,
    })
    const ticking = setInterval(() => {
      for (const mapped of this.#sparkplug.tick()) void this.#takeMapped(mapped)
    }, waitingEveryMs)
    ticking.unref()
    stop.addEventListener('abort', () => clearInterval(ticking), { once: true })
  }

  get rows(): number {
    return this.#written
  }

  /** Connects to the broker. Resolves when connected; `ended` resolves with the reason why the connection ended. */
  async open(): Promise<{ readonly ended: Promise<string> }> {
    const { connect, broker, signal, onNote } = this.#options
    const early: ReceivedMessage[] = []
    let take = (message: ReceivedMessage): void => void early.push(message)
    const connection = await connect({ ...broker, signal }, (message) => take(message))
    // The connector has already drained, so messages of this connection would not be stored.
    if (signal.aborted) {
      connection.close()
      return { ended: connection.ended }
    }
    const { isResumed } = connection
    onNote(`Connected to ${broker.url.host} as ${broker.clientId}${isResumed ? ', in the earlier session' : ''}.`)
    this.#connection = connection
    this.#acknowledgements.begin({ isResumed, acknowledge: (packetId) => connection.acknowledge(packetId) })
    take = (message) => this.#receive(message)
    early.forEach(take)
    return { ended: connection.ended.then((reason) => this.#over(reason)) }
  }

  #over(reason: string): string {
    this.#connection = null
    this.#acknowledgements.end()
    // The broker resends messages that were not processed.
    this.#waiting.length = 0
    return reason
  }

  /** Stops reading, and waits up to `drainMs` until rows being pushed are stored and their messages acknowledged. */
  async drain(): Promise<void> {
    this.#connection?.pause()
    for (const mapped of this.#sparkplug.end()) void this.#takeMapped(mapped)
    const drained = new AbortController()
    const late = sleepOn(systemClock, drainMs, drained.signal).catch(() => undefined)
    await Promise.race([this.#writer.flush(), late])
    // A pending timer would keep the program running.
    drained.abort()
    this.#connection?.close()
  }

  #receive(message: ReceivedMessage): void {
    this.#waiting.push(message)
    if (!this.#working) void this.#work()
  }

  /** Processes messages one after another; while there is no capacity, the broker has to wait. */
  async #work(): Promise<void> {
    this.#working = true
    for (let message = this.#waiting.shift(); message !== undefined; message = this.#waiting.shift()) {
      this.messages++
      if (!this.#acknowledgements.take(message)) this.again++
      else for (const mapped of this.#mappedBy(message)) await this.#takeMapped(mapped)
    }
    this.#working = false
  }

  /** The messages whose rows are now known. A Sparkplug message may wait for a birth, which defines its meaning. */
  #mappedBy(message: ReceivedMessage): readonly MappedMessage[] {
    if ((message.cutBytes ?? 0) > 0) return [this.#tooLarge(message)]
    if (isSparkplug(message.topic)) return this.#sparkplug.take(message)
    return [{ message, rows: messageRows(message, this.#options.mapping) }]
  }

  #tooLarge(message: ReceivedMessage): MappedMessage {
    const why = `the message is larger than ${this.#options.broker.messageBytesMax} bytes (--message-bytes)`
    this.#options.onNote(
      `Only the beginning of a message of ${message.topic} is stored, among the rejected rows: ${why}.`,
    )
    return { message, rows: [unmappedRow(message, why)] }
  }

  async #takeMapped({ message, rows, hasMore }: MappedMessage): Promise<void> {
    this.#acknowledgements.mapped(message, rows.length, hasMore)
    await this.#write(message, rows)
  }

  async #write(message: ReceivedMessage, texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return
    this.#owners.push({ message, firstRow: this.#written + 1, lastRow: this.#written + texts.length })
    this.#written += texts.length
    let isIn = false
    const written = this.#writer.writeTexts(texts).then(() => {
      isIn = true
    })
    // A writer with capacity accepts the rows within two microtask turns; only without capacity does the broker have to wait.
    await Promise.resolve()
    await Promise.resolve()
    if (isIn) return
    this.#connection?.pause()
    await written
    this.#connection?.resume()
  }

  #settle(outcome: BatchOutcome): void {
    const firstRow = outcome.firstRow
    const lastRow = firstRow + outcome.rows - 1
    const concerned = this.#owners.filter((owner) => owner.firstRow <= lastRow && owner.lastRow >= firstRow)
    this.#owners = this.#owners.filter((owner) => owner.lastRow > lastRow)
    if (outcome.state === 'failed' && !isHopeless(outcome.error)) return
    for (const { message, ...rows } of concerned) {
      const count = Math.min(rows.lastRow, lastRow) - Math.max(rows.firstRow, firstRow) + 1
      if (outcome.state === 'acknowledged') this.#acknowledgements.stored(message, count)
      else void this.#pushOriginal(message, count, outcome.error)
    }
  }

  /** The service does not accept such a row: the original message is pushed instead, to be kept among the rejected rows. */
  async #pushOriginal(message: ReceivedMessage, rows: number, error: unknown): Promise<void> {
    const why = `the service does not accept it: ${messageOf(error)}`
    this.#options.onNote(
      `A message of ${message.topic} is not a row that the service accepts; it is stored among the rejected rows.`,
    )
    await this.#write(
      message,
      Array.from({ length: rows }, () => unmappedRow(message, why)),
    )
  }
}

/** Runs until the signal is aborted. Throws `BrokerError` if the broker refuses before the first connection. */
export async function runConnector(options: ConnectorOptions): Promise<ConnectorCounts> {
  const { signal } = options
  const giveUp = new AbortController()
  const connector = new Connector(options, giveUp.signal)
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  try {
    await Promise.race([stayConnected(connector, options), stopped])
    await connector.drain()
  } finally {
    giveUp.abort(new Error('the connector ends'))
  }
  return { messages: connector.messages, rows: connector.rows, again: connector.again }
}

async function stayConnected(connector: Connector, { signal, onNote }: ConnectorOptions): Promise<void> {
  let wasConnected = false
  while (!signal.aborted) {
    const { ended } = await withRetries(() => connector.open(), {
      nowMs: () => systemClock.nowMs(),
      sleep: (ms) => sleepOn(systemClock, ms, signal),
      retryMs: Number.POSITIVE_INFINITY,
      onRetry: (error, waitMs) => onNote(`${error.message} Trying again in ${(waitMs / 1000).toFixed(1)} s.`),
      isRetryable: (error) => !signal.aborted && error instanceof BrokerError && (wasConnected || !error.isFinal),
      random: Math.random,
    })
    wasConnected = true
    const reason = await ended
    if (!signal.aborted) onNote(`The connection to the broker is over: ${reason}.`)
  }
}
