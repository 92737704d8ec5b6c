// What is known of the nodes that publish: who is born, what aliases mean, which message comes next. Messages that need a birth wait for it.

import { messageOf } from '../../lib/message-of.ts'
import type { ReceivedMessage } from '../broker.ts'
import { type MappingOptions, unmappedRow } from '../message-rows.ts'
import { type Birth, KnownMetrics, meaningAfter } from './known-metrics.ts'
import { metricRows, type SparkplugMessage } from './metric-rows.ts'
import { decodePayload, type Payload } from './sparkplug-payload.ts'
import { commandTopic, type SparkplugTopic, sparkplugTopic } from './sparkplug-topic.ts'
import { WaitingMessages } from './waiting-messages.ts'

export interface SparkplugLimits {
  /** How long a message waits for a birth before it becomes a rejected row. */
  readonly birthWaitMs: number
  /** The most messages, and bytes of them, that wait. Beyond them the oldest waits no longer. */
  readonly birthWaitMessagesMax: number
  readonly birthWaitBytesMax: number
  /**
   * The most metrics of births that are remembered; a birth, and a node, count as one too. Beyond them the node that was met first is forgotten, and
   * asked again; where one node has more by itself, its births that were met first.
   */
  readonly knownMetricsMax: number
}

export interface SparkplugOptions extends SparkplugLimits {
  readonly mapping: MappingOptions
  readonly nowMs: () => number
  /** Publishes a request for births there; null where nodes must not be asked. */
  readonly ask: ((topic: string) => void) | null
  readonly onNote: (text: string) => void
}

/** A message, or what can be read of it, whose rows are known now. */
export interface MappedMessage {
  readonly message: ReceivedMessage
  readonly rows: readonly string[]
  /** Where more rows of it follow, once a birth came or its time is over. */
  readonly hasMore?: true
}

interface Node {
  readonly group: string
  readonly node: string
  /** By device; the node's own is that of ''. */
  readonly births: Map<string, Birth>
  bornMs: number
  bdSeq: unknown
  nextSeq: number | null
  askedMs: number
}

interface Taken extends SparkplugMessage {
  readonly message: ReceivedMessage
}

/** Of a message, the metrics that nobody can read without a birth. */
interface Waiting extends Taken {
  /** What was known of them when it came. */
  readonly before: Birth | undefined
}

/** A node has this time to answer before it is asked again. */
const askEveryMs = 3000

const bdSeqOf = ({ metrics }: Payload): unknown => metrics.find(({ name }) => name === 'bdSeq')?.value

export class SparkplugNodes {
  readonly #options: SparkplugOptions
  /** By group and node, in the order in which they were met. */
  readonly #nodes = new Map<string, Node>()
  readonly #waiting: WaitingMessages<Waiting>
  #knownCount = 0

  constructor(options: SparkplugOptions) {
    this.#options = options
    this.#waiting = new WaitingMessages({
      messagesMax: options.birthWaitMessagesMax,
      bytesMax: options.birthWaitBytesMax,
    })
  }

  /** The messages whose rows are known now: mostly this one; with a birth also those that waited for it. */
  take(message: ReceivedMessage): readonly MappedMessage[] {
    const topic = sparkplugTopic(message.topic)
    if (topic === 'other') return [{ message, rows: [] }]
    if (topic === null) return [this.#unmapped(message, 'the topic is none of Sparkplug B')]
    let payload: Payload
    try {
      payload = decodePayload(message.payload)
    } catch (error) {
      return [this.#unmapped(message, `the payload is none of Sparkplug B (${messageOf(error)})`)]
    }
    const taken = { message, topic, payload }
    const node = this.#nodeOf(topic)
    if (topic.type === 'NBIRTH' || topic.type === 'DBIRTH') return this.#birth(taken, node)
    if (topic.type === 'NDEATH' || topic.type === 'DDEATH') return this.#death(taken, node)
    return this.#data(taken, node)
  }

  /** To be called now and then while messages wait: asks again, and gives those up whose time is over. */
  tick(): readonly MappedMessage[] {
    const over = this.#waiting.takeUntil(this.#options.nowMs())
    for (const { topic } of this.#waiting.all()) this.#ask(this.#nodeOf(topic))
    return over.map((one) => this.#settled(one))
  }

  /** Nothing more comes: what waits and is not sent again by the broker goes as it came. */
  end(): readonly MappedMessage[] {
    return this.#waiting.takeOf(({ message }) => message.packetId === null).map((one) => this.#settled(one))
  }

  #nodeOf({ group, node }: SparkplugTopic): Node {
    const key = `${group}/${node}`
    const known = this.#nodes.get(key)
    if (known !== undefined) return known
    const born = {
      bornMs: Number.NEGATIVE_INFINITY,
      bdSeq: undefined,
      nextSeq: null,
      askedMs: Number.NEGATIVE_INFINITY,
    }
    const made: Node = { group, node, births: new Map(), ...born }
    this.#nodes.set(key, made)
    this.#knownCount++
    this.#forget(made)
    return made
  }

  #birth(taken: Taken, node: Node): readonly MappedMessage[] {
    const { topic, payload } = taken
    const known = KnownMetrics.ofBirth(payload, this.#options.mapping.quality !== null)
    // One that is new is true, whatever its clock says.
    const isLate = taken.message.isAgain && this.#isLate(node, payload)
    const own = this.#mapped(taken, known)
    if (isLate) return [own]
    if (topic.type === 'NBIRTH') {
      this.#forgetBirths(node)
      node.bornMs = payload.timestamp ?? Number.NEGATIVE_INFINITY
      node.bdSeq = bdSeqOf(payload)
      node.nextSeq = payload.seq === undefined ? null : (payload.seq + 1) % 256
    } else this.#follow(taken, node)
    this.#knownCount += known.size - (node.births.get(topic.device)?.known.size ?? 0)
    // Behind all others: it is the last to be forgotten.
    node.births.delete(topic.device)
    node.births.set(topic.device, { known, isSure: true })
    this.#forget(node)
    return [...this.#waiting.takeOf(isOf(topic)).map((one) => this.#settled(one, { known, payload })), own]
  }

  #death(taken: Taken, node: Node): readonly MappedMessage[] {
    const { topic, payload, message } = taken
    const rows: string[] = []
    if (topic.type === 'NDEATH') {
      // The will of a session that is over may come after the next birth.
      if (node.births.get('')?.isSure && node.bdSeq !== undefined && bdSeqOf(payload) !== node.bdSeq)
        return [{ message, rows }]
      for (const [device, { known }] of node.births) {
        // The will was written when the node was born.
        rows.push(...this.#staleRows({ ...taken, topic: { ...topic, device } }, known, this.#options.nowMs()))
      }
      this.#forgetBirths(node)
      node.nextSeq = null
    } else {
      this.#follow(taken, node)
      const birth = node.births.get(topic.device)
      if (birth !== undefined) {
        const atMs = payload.timestamp ?? this.#options.nowMs()
        rows.push(...this.#staleRows(taken, birth.known, atMs))
        this.#knownCount -= birth.known.size
      }
      node.births.delete(topic.device)
    }
    // Who is born next may mean other metrics by its aliases.
    const ofDead = this.#waiting.takeOf(topic.type === 'DDEATH' ? isOf(topic) : isOfNode(topic))
    return [...ofDead.map((one) => this.#settled(one)), { message, rows }]
  }

  /** A row for each metric that was born, of the value that it had. */
  #staleRows(taken: Taken, known: KnownMetrics, atMs: number): readonly string[] {
    const payload = { ...taken.payload, timestamp: atMs, metrics: known.stale(atMs) }
    return this.#mapped({ ...taken, payload }, known).rows
  }

  #data(taken: Taken, node: Node): readonly MappedMessage[] {
    const { topic, payload, message } = taken
    this.#follow(taken, node)
    const birth = node.births.get(topic.device)
    const known = birth?.isSure ? birth.known : KnownMetrics.none
    if (known === KnownMetrics.none) this.#ask(node)
    const metrics = payload.metrics.filter((metric) => !known.canRead(metric))
    const readable = payload.metrics.filter((metric) => known.canRead(metric))
    known.remember(readable, payload.timestamp)
    const now = this.#mapped({ ...taken, payload: { ...payload, metrics: readable } }, known)
    if (metrics.length === 0) return [now]
    this.#ask(node)
    const before = birth && { known: birth.known.of(metrics), isSure: birth.isSure }
    const untilMs = this.#options.nowMs() + this.#options.birthWaitMs
    const waiting = { ...taken, payload: { ...payload, metrics }, before }
    const gone = this.#waiting.add(waiting, message.payload.length, untilMs).map((oldest) => this.#settled(oldest))
    return [{ ...now, hasMore: true }, ...gone]
  }

  /** After a gap it is not known what aliases mean: a birth may have been lost. */
  #follow({ payload, message }: Taken, node: Node): void {
    const { seq } = payload
    if (seq === undefined) return
    // A node that sends what it kept while it was away may give payloads the times of then: in their turn they are counted.
    if (seq !== node.nextSeq && (message.isAgain || this.#isLate(node, payload))) return
    if (node.nextSeq !== null && seq !== node.nextSeq) {
      for (const birth of node.births.values()) birth.isSure = false
      this.#ask(node)
    }
    node.nextSeq = (seq + 1) % 256
  }

  /** Sent before the birth that is known: it came again, or was overtaken. */
  #isLate({ bornMs }: Node, { timestamp }: Payload): boolean {
    return timestamp !== undefined && timestamp < bornMs
  }

  #ask(node: Node): void {
    const { nowMs, ask, onNote } = this.#options
    const atMs = nowMs()
    if (ask === null || atMs - node.askedMs < askEveryMs) return
    node.askedMs = atMs
    onNote(`${node.group}/${node.node} is asked for its births: a message is missing, or what it means.`)
    ask(commandTopic(node))
  }

  #forgetBirths(node: Node): void {
    for (const { known } of node.births.values()) this.#knownCount -= known.size
    node.births.clear()
  }

  #forget(except: Node): void {
    for (const [key, node] of this.#nodes) {
      if (this.#knownCount <= this.#options.knownMetricsMax) return
      if (node === except) continue
      this.#forgetBirths(node)
      this.#nodes.delete(key)
      this.#knownCount--
    }
    // One node alone may have devices without end: of its births those that were met first go, and the last one stays.
    for (const [device, { known }] of except.births) {
      if (this.#knownCount <= this.#options.knownMetricsMax || except.births.size === 1) return
      except.births.delete(device)
      this.#knownCount -= known.size
    }
  }

  #mapped(taken: Taken, known: KnownMetrics): MappedMessage {
    const rows = metricRows(taken, (metric) => known.meaningOf(metric), this.#options.mapping)
    return { message: taken.message, rows }
  }

  /** What waited, by the birth that came, or without one. */
  #settled(waiting: Waiting, birth?: { known: KnownMetrics; payload: Payload }): MappedMessage {
    const { message, payload, before } = waiting
    const bornMs = birth?.payload.timestamp ?? Number.POSITIVE_INFINITY
    const isLater = bornMs > (payload.timestamp ?? Number.NEGATIVE_INFINITY)
    const after = { known: birth?.known ?? KnownMetrics.none, isLater }
    const rows = metricRows(waiting, (metric) => meaningAfter(metric, before, after), this.#options.mapping)
    return { message, rows }
  }

  #unmapped(message: ReceivedMessage, why: string): MappedMessage {
    return { message, rows: [unmappedRow(message, why)] }
  }
}

type OfTopic = (one: Taken) => boolean

function isOfNode({ group, node }: SparkplugTopic): OfTopic {
  return ({ topic }) => topic.group === group && topic.node === node
}

function isOf(publisher: SparkplugTopic): OfTopic {
  const isNode = isOfNode(publisher)
  return (one) => isNode(one) && one.topic.device === publisher.device
}
