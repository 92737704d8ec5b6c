// State of the nodes that publish: their births, what aliases mean, which message comes next. Messages that need a birth wait for it.

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
  /** The most messages that wait, and their total bytes. Beyond that the oldest stops waiting. */
  readonly birthWaitMessagesMax: number
  readonly birthWaitBytesMax: number
  /**
   * The most metrics of births that are remembered; each birth and each node counts as one too. Beyond that the node met first is forgotten, and its births
   * are requested again. If a single node exceeds the limit, its oldest births are forgotten.
   */
  readonly knownMetricsMax: number
}

export interface SparkplugOptions extends SparkplugLimits {
  readonly mapping: MappingOptions
  readonly nowMs: () => number
  /** Publishes a request for births to this topic; null if births must not be requested. */
  readonly ask: ((topic: string) => void) | null
  readonly onNote: (text: string) => void
}

/** A message, or the readable part of it, with its rows. */
export interface MappedMessage {
  readonly message: ReceivedMessage
  readonly rows: readonly string[]
  /** Set if more of its rows follow, after a birth or a timeout. */
  readonly hasMore?: true
}

interface Node {
  readonly group: string
  readonly node: string
  /** By device; '' is the node itself. */
  readonly births: Map<string, Birth>
  bornMs: number
  bdSeq: unknown
  nextSeq: number | null
  askedMs: number
}

interface Taken extends SparkplugMessage {
  readonly message: ReceivedMessage
}

/** The metrics of a message that cannot be read without a birth. */
interface Waiting extends Taken {
  /** Their definitions known when the message arrived. */
  readonly before: Birth | undefined
}

/** How long a node has to respond before births are requested again. */
const pollEveryMs = 3000

const bdSeqOf = ({ metrics }: Payload): unknown => metrics.find(({ name }) => name === 'bdSeq')?.value

export class SparkplugNodes {
  readonly #options: SparkplugOptions
  /** By group and node, in the order in which they were first seen. */
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

  /** Returns the messages whose rows are now known: usually this one, and after a birth also those that waited for it. */
  take(message: ReceivedMessage): readonly MappedMessage[] {
    const topic = sparkplugTopic(message.topic)
    if (topic === 'other') return [{ message, rows: [] }]
    if (topic === null) return [this.#unmapped(message, 'the topic is not a Sparkplug B topic')]
    let payload: Payload
    try {
      payload = decodePayload(message.payload)
    } catch (error) {
      return [this.#unmapped(message, `the payload is not a Sparkplug B payload (${messageOf(error)})`)]
    }
    const taken = { message, topic, payload }
    const node = this.#nodeOf(topic)
    if (topic.type === 'NBIRTH' || topic.type === 'DBIRTH') return this.#birth(taken, node)
    if (topic.type === 'NDEATH' || topic.type === 'DDEATH') return this.#death(taken, node)
    return this.#data(taken, node)
  }

  /** Call periodically while messages wait: requests births again, and returns messages whose time is over. */
  tick(): readonly MappedMessage[] {
    const over = this.#waiting.takeUntil(this.#options.nowMs())
    for (const { topic } of this.#waiting.all()) this.#ask(this.#nodeOf(topic))
    return over.map((one) => this.#settled(one))
  }

  /** Ends the waiting. Returns the messages that the broker will not resend, with rows as far as they can be read without a birth. */
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
    // A new message is accepted whatever its clock says.
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
    // Moves it to the end, so that it is the last to be forgotten.
    node.births.delete(topic.device)
    node.births.set(topic.device, { known, isSure: true })
    this.#forget(node)
    return [...this.#waiting.takeOf(isOf(topic)).map((one) => this.#settled(one, { known, payload })), own]
  }

  #death(taken: Taken, node: Node): readonly MappedMessage[] {
    const { topic, payload, message } = taken
    const rows: string[] = []
    if (topic.type === 'NDEATH') {
      // The will of an ended session may arrive after the next birth.
      if (node.births.get('')?.isSure && node.bdSeq !== undefined && bdSeqOf(payload) !== node.bdSeq)
        return [{ message, rows }]
      for (const [device, { known }] of node.births) {
        // Not the will's own time: it was written when the node was born.
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
    // Aliases of the next birth may mean other metrics.
    const ofDead = this.#waiting.takeOf(topic.type === 'DDEATH' ? isOf(topic) : isOfNode(topic))
    return [...ofDead.map((one) => this.#settled(one)), { message, rows }]
  }

  /** A row for each metric of the birth, with its last value. */
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

  /** Checks the sequence number. After a gap the meaning of aliases is unsure, because a birth may have been lost. */
  #follow({ payload, message }: Taken, node: Node): void {
    const { seq } = payload
    if (seq === undefined) return
    // A node that sends messages stored while it was offline may give them their original times. If they are in sequence, they count.
    if (seq !== node.nextSeq && (message.isAgain || this.#isLate(node, payload))) return
    if (node.nextSeq !== null && seq !== node.nextSeq) {
      for (const birth of node.births.values()) birth.isSure = false
      this.#ask(node)
    }
    node.nextSeq = (seq + 1) % 256
  }

  /** Whether it was sent before the known birth: it was resent, or overtaken. */
  #isLate({ bornMs }: Node, { timestamp }: Payload): boolean {
    return timestamp !== undefined && timestamp < bornMs
  }

  #ask(node: Node): void {
    const { nowMs, ask, onNote } = this.#options
    const atMs = nowMs()
    if (ask === null || atMs - node.askedMs < pollEveryMs) return
    node.askedMs = atMs
    onNote(`Requesting births from ${node.group}/${node.node}: a message or a definition is missing.`)
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
    // A single node may have unlimited devices: its oldest births are forgotten first, and the last one is kept.
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

  /** A message that waited, with rows by the birth that arrived, or without one. */
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
