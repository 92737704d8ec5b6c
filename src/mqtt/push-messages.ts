// The API of `tidemark/mqtt` for programs, also used by `tidemark mqtt`. Node.js only.

import type { OwnIngestAnswer } from '../client/answers.ts'
import type { TidemarkClient } from '../client/client.ts'
import { sleepOn, systemClock } from '../client/clock.ts'
import { isRetryableError } from '../client/retries.ts'
import { ServiceError } from '../client/service-error.ts'
import { messageOf } from '../lib/message-of.ts'
import type { BrokerOptions } from './broker.ts'
import { type ConnectorCounts, runConnector } from './connector.ts'
import { type MappingOptions, ReceiveTimes } from './message-rows.ts'
import { connectBroker } from './packets/connect-broker.ts'
import { rejectedNamesNote, rejectedProperties } from './rejected-names.ts'
import { isSparkplug, metricTemplateText } from './sparkplug/sparkplug-topic.ts'
import { filterFault, topicTemplate } from './topics.ts'

export { BrokerError } from './broker.ts'
export type { ConnectorCounts } from './connector.ts'

export interface PushMessagesOptions {
  /** A client with a key that may push to the ingest. */
  readonly client: Pick<TidemarkClient, 'push' | 'ownIngest'>
  /** `mqtt://host:1883`, or `mqtts://host:8883` for TLS. It may contain the user and password. */
  readonly broker: string
  /** Topic filters, such as `plant/+/+`. */
  readonly subscribe: readonly string[]
  readonly ingest: string
  /** The names of a topic's levels, such as `plant/{area}/{T}`. Without it topics add no properties to rows. */
  readonly topic?: string | undefined
  /** The property of a bare value. `V` by default. */
  readonly valueField?: string | undefined
  /** The property of a bare text; by default that of a bare value. */
  readonly textField?: string | undefined
  /** The property of a bare boolean; by default that of a bare value. */
  readonly truthField?: string | undefined
  /** The client id that names the session at the broker; by default `tidemark-` and the ingest. Only one program may use it at a time. */
  readonly clientId?: string | undefined
  readonly protocol?: '5' | '3.1.1' | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** PEM certificates of the authority that signed the broker's certificate. */
  readonly ca?: string | undefined
  /** The most messages the broker sends ahead of their acknowledgement (MQTT 5). 1,000 by default. */
  readonly inFlightMax?: number | undefined
  /** The most rows in a push. 10,000 by default. */
  readonly maxBatchRows?: number | undefined
  /** The most bytes of rows in memory; beyond it the broker has to wait. 64 MiB by default. */
  readonly maxBufferedBytes?: number | undefined
  /** The largest message including its topic; of a larger one, the beginning is kept among the rejected rows. Default 16 MiB, at least 128 KiB. */
  readonly maxMessageBytes?: number | undefined
  /** How long a batch waits for more rows after its first one. 10 ms by default. */
  readonly flushIntervalMs?: number | undefined
  /** Whether to request births from Sparkplug nodes. True by default. */
  readonly requestsBirths?: boolean | undefined
  /** How long a Sparkplug message waits for a birth. 10,000 ms by default. */
  readonly birthWaitMs?: number | undefined
  /** The most messages that wait for a birth; beyond it the oldest stops waiting. 500 by default. */
  readonly birthWaitMessagesMax?: number | undefined
  /** Stops the connector: rows being pushed have ten seconds to be acknowledged. The session stays at the broker. */
  readonly signal: AbortSignal
  /** Called with notes for an operator, one line each: connections, retries, names that the ingest does not accept. */
  readonly onNote?: ((text: string) => void) | undefined
}

export class OptionError extends TypeError {
  readonly option: 'broker' | 'subscribe' | 'topic'

  constructor(option: OptionError['option'], message: string, options?: ErrorOptions) {
    super(`${option}: ${message}`, options)
    this.name = 'OptionError'
    this.option = option
  }
}

/** The most Sparkplug metrics remembered, in total for all nodes: about 100 MB. */
const knownMetricsMax = 1_000_000
const serviceWaitMs = 5000
/** A topic alone may have 64 KiB. */
const messageBytesMin = 128 * 1024

function brokerUrl(text: string): URL {
  if (URL.canParse(text) && /^mqtts?:$/.test(new URL(text).protocol) && new URL(text).hostname !== '')
    return new URL(text)
  throw new OptionError(
    'broker',
    `"${text}" is not the address of a broker. Give one such as mqtt://localhost:1883 or mqtts://localhost:8883.`,
  )
}

/** Decodes the user or password in an address; undefined if there is none. */
function decoded(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text)
  } catch (cause) {
    // The message shows neither, because one of them is the password.
    throw new OptionError('broker', 'the user or the password has a % that does not begin a code: write %25 for it.', {
      cause,
    })
  }
}

function brokerOptions(options: PushMessagesOptions): BrokerOptions {
  const url = brokerUrl(options.broker)
  return {
    url,
    clientId: options.clientId ?? `tidemark-${options.ingest}`,
    filters: options.subscribe,
    protocol: options.protocol ?? '5',
    inFlightMax: options.inFlightMax ?? 1000,
    keepAliveS: 30,
    messageBytesMax: Math.max(messageBytesMin, options.maxMessageBytes ?? 16 * 1024 * 1024),
    username: options.username ?? decoded(url.username),
    password: options.password ?? decoded(url.password),
    ca: options.ca,
  }
}

function readTemplate(text: string): ReturnType<typeof topicTemplate> {
  try {
    return topicTemplate(text)
  } catch (error) {
    throw new OptionError('topic', messageOf(error), { cause: error })
  }
}

type Naming = Pick<MappingOptions, 'template' | 'metricTemplate' | 'valueFields'>

function namingOf(options: PushMessagesOptions): Naming {
  const { topic, valueField = 'V', textField = valueField, truthField = valueField } = options
  const template = topic === undefined ? null : readTemplate(topic)
  const isOfMetrics = topic !== undefined && isSparkplug(topic)
  return {
    template,
    metricTemplate: isOfMetrics && template !== null ? template : topicTemplate(metricTemplateText),
    valueFields: { number: valueField, text: textField, truth: truthField },
  }
}

/** Checked here because brokers end the connection for an invalid filter, on every attempt. */
function checkFilters(filters: readonly string[]): void {
  if (filters.length === 0) throw new OptionError('subscribe', "give at least one topic filter, such as 'plant/+/+'.")
  for (const filter of filters) {
    const fault = filterFault(filter)
    if (fault === null) continue
    throw new OptionError(
      'subscribe',
      `"${filter}" is not a topic filter: ${fault}. Give one such as 'plant/+/+' or 'plant/#'.`,
    )
  }
}

/** The definition of the ingest. Waits for the service if it is unreachable; null if the signal is aborted first. */
async function ingestOf(options: PushMessagesOptions): Promise<OwnIngestAnswer | null> {
  const { client, ingest, signal, onNote } = options
  while (!signal.aborted) {
    try {
      return await client.ownIngest(ingest)
    } catch (error) {
      if (error instanceof ServiceError && !isRetryableError(error)) throw error
      onNote?.(`${messageOf(error)} Trying again in ${serviceWaitMs / 1000} s.`)
      await sleepOn(systemClock, serviceWaitMs, signal).catch(() => undefined)
    }
  }
  return null
}

/** Warnings for an ingest that does not fit the messages: otherwise the user would find only rejected rows. */
function rejectionNotes(ingest: OwnIngestAnswer, naming: Naming, options: PushMessagesOptions): string[] {
  const notes: string[] = []
  const valueFields = { number: options.valueField, text: options.textField, truth: options.truthField }
  const ofPlain = rejectedNamesNote(ingest, { template: naming.template, valueFields })
  if (ofPlain !== null && !options.subscribe.every(isSparkplug)) notes.push(ofPlain)
  const sources = ingest.fields.map(({ source }) => source)
  const strange = rejectedProperties(sources, naming)
  if (ingest.unknown === 'add' || strange.length === 0 || !options.subscribe.some(isSparkplug)) return notes
  notes.push(
    `${ingest.alias} has no ${strange.join(', ')}: it rejects Sparkplug rows that have them. Add the fields, or name existing fields with --topic and --value-field.`,
  )
  return notes
}

/**
 * Pushes the messages of an MQTT broker to an ingest until the signal is aborted. A message of QoS 1 is acknowledged to the broker after its rows are on
 * disk. A message that is not a row is pushed as received and kept among the rejected rows. Waits for a service that is unreachable, and reconnects to a
 * broker after the first connection. Throws `OptionError` before it begins, `ServiceError` if the key may not push there, `BrokerError` if the broker refuses.
 */
export async function pushMessages(options: PushMessagesOptions): Promise<ConnectorCounts> {
  const naming = namingOf(options)
  checkFilters(options.subscribe)
  const broker = brokerOptions(options)
  const { client, ingest, signal, onNote = () => undefined, maxBufferedBytes = 64 * 1024 * 1024 } = options
  const definition = await ingestOf(options)
  if (definition === null) return { messages: 0, rows: 0, again: 0 }
  const { fields } = definition
  for (const note of rejectionNotes(definition, naming, options)) onNote(note)
  const timeField = fields.find(({ role }) => role === 'time')?.source ?? null
  const quality = fields.find(({ role }) => role === 'quality') ?? null
  const tagFields = fields.filter(({ role }) => role === 'tag').map(({ source }) => source)
  return runConnector({
    ...{ broker, connect: connectBroker, client, ingest, signal, onNote, maxBufferedBytes },
    mapping: { ...naming, quality, timeField, tagFields, receiveTimes: new ReceiveTimes(() => Date.now()) },
    sparkplug: {
      mayAsk: options.requestsBirths ?? true,
      birthWaitMs: options.birthWaitMs ?? 10_000,
      birthWaitMessagesMax: options.birthWaitMessagesMax ?? 500,
      ...{ birthWaitBytesMax: maxBufferedBytes, knownMetricsMax },
    },
    maxBatchRows: options.maxBatchRows ?? 10_000,
    flushIntervalMs: options.flushIntervalMs ?? 10,
  })
}
