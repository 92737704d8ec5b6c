import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mqttMapping } from '../../../test/support/mqtt-mapping.ts'
import { rounds } from '../../../test/support/rounds.ts'
import { sparkplugPayload, type WrittenMetric } from '../../../test/support/sparkplug-payloads.ts'
import { type MappedMessage, SparkplugNodes } from './sparkplug-nodes.ts'
import { decodePayload } from './sparkplug-payload.ts'

const metricsOfSession = 3

/**
 * A node whose aliases have other meanings in each session, and also within one after a birth that arrives. Messages may be lost on their
 * way, except deaths, which the broker publishes.
 */
class World {
  /** By the value of each data message that arrived: its metric. */
  readonly sent = new Map<number, string>()
  /** By value: the metric under which it was stored; null if it was rejected. */
  readonly reported: [value: number, metric: string | null][] = []
  readonly #nodes: SparkplugNodes
  #nowMs = 0
  #session = 0
  #numbering = 0
  #isKnown = false
  #seq = 0
  #isAsked = false
  #nextValue = 1

  constructor() {
    this.#nodes = new SparkplugNodes({
      ...{ mapping: mqttMapping(), nowMs: () => this.#nowMs, onNote: () => undefined },
      ...{ birthWaitMs: 10_000, birthWaitMessagesMax: 5, birthWaitBytesMax: 10_000, knownMetricsMax: 1000 },
      ask: () => {
        this.#isAsked = true
      },
    })
  }

  birth(isLost: boolean): void {
    this.#seq = 0
    this.#isKnown ||= !isLost
    const metrics = Array.from({ length: metricsOfSession }, (_, alias) => ({
      name: this.#nameOf(alias),
      alias,
      datatype: 10,
    }))
    const bdSeq = { name: 'bdSeq', datatype: 4, long: this.#session }
    this.#publish('NBIRTH', [bdSeq, ...metrics.map((metric) => ({ ...metric, isNull: true }))], isLost)
  }

  data(alias: number, isLost: boolean): void {
    const double = this.#nextValue++
    if (!isLost) this.sent.set(double, this.#nameOf(alias))
    // Half of the messages also contain an alias that no birth defines.
    const strange = double % 2 === 0 ? [{ alias: metricsOfSession, double }] : []
    this.#publish('NDATA', [{ alias, double }, ...strange], isLost)
  }

  /** Only after a birth arrived: without one, nobody could notice that the aliases changed. */
  renumbers(): void {
    if (!this.#isKnown) return
    this.#numbering++
    this.birth(false)
  }

  dies(): void {
    const metrics = [{ name: 'bdSeq', datatype: 4, long: this.#session }]
    this.#take('NDEATH', sparkplugPayload({ metrics }))
    this.#session++
    this.#numbering++
    this.#isKnown = false
  }

  waits(ms: number): void {
    this.#nowMs += ms
    this.#keep(this.#nodes.tick())
  }

  answers(isLost: boolean): void {
    if (!this.#isAsked) return
    this.#isAsked = false
    this.birth(isLost)
  }

  #nameOf(alias: number): string {
    return `m${(alias + this.#numbering) % metricsOfSession}`
  }

  #publish(type: string, metrics: WrittenMetric[], isLost: boolean): void {
    const payload = sparkplugPayload({ timestamp: ++this.#nowMs, seq: this.#seq++ % 256, metrics })
    if (!isLost) this.#take(type, payload)
  }

  #take(type: string, payload: Uint8Array): void {
    this.#keep(this.#nodes.take({ topic: `spBv1.0/G/${type}/N`, payload, packetId: 1, isAgain: false }))
  }

  #keep(mapped: readonly MappedMessage[]): void {
    for (const { message, rows, hasMore } of mapped) {
      if (!message.topic.includes('NDATA')) continue
      const value = Number(decodePayload(message.payload).metrics[0]!.value)
      const read = rows.map((row) => (JSON.parse(row) as { metric?: string }).metric ?? null)
      for (const metric of read) if (metric !== null) this.reported.push([value, metric])
      const isReported = this.reported.some(([before]) => before === value)
      if (hasMore === undefined && !isReported) this.reported.push([value, null])
    }
  }
}

const isLost = fc.boolean()
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('data' as const), alias: fc.nat(metricsOfSession - 1), isLost }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('answer' as const), isLost }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), isLost }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renumber' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(12_000) }) },
)

test('whatever is lost, each received message is reported once, and no value under another metric', () => {
  const property = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const world = new World()
    world.birth(false)
    for (const one of steps) {
      if (one.do === 'data') world.data(one.alias, one.isLost)
      else if (one.do === 'answer') world.answers(one.isLost)
      else if (one.do === 'renumber') world.renumbers()
      else if (one.do === 'wait') world.waits(one.ms)
      else {
        world.dies()
        world.birth(one.isLost)
      }
    }
    world.waits(20_000)
    expect(world.reported.map(([value]) => value).sort((a, b) => a - b)).toEqual([...world.sent.keys()])
    const wrong = world.reported.filter(([value, metric]) => metric !== null && metric !== world.sent.get(value))
    expect(wrong).toEqual([])
  })
  fc.assert(property, { numRuns: rounds(2000) })
})

const types = ['NBIRTH', 'NDATA', 'NDEATH', 'DBIRTH/N', 'DDATA', 'DDEATH', 'NCMD', 'X']
const sample = sparkplugPayload({
  ...{ timestamp: 1, seq: 0 },
  metrics: [
    { name: 'a', alias: 1, datatype: 10, double: 1, timestamp: 5 },
    { name: 'b', alias: 2, datatype: 8, long: 2n ** 64n - 1n },
    { alias: 3, datatype: 17, bytes: new Uint8Array([1, 2, 3]) },
  ],
})

test('a message of any bytes makes JSON rows or waits', () => {
  const damaged = fc
    .array(fc.tuple(fc.nat(sample.length - 1), fc.nat(255)), { maxLength: 4 })
    .map((changes) => changes.reduce((bytes, [at, byte]) => bytes.with(at, byte), sample))
  const message = fc.tuple(fc.constantFrom(...types), fc.oneof(damaged, fc.uint8Array({ maxLength: 40 })), fc.boolean())
  const property = fc.property(fc.array(message, { maxLength: 10 }), (messages) => {
    const nodes = new SparkplugNodes({
      ...{ mapping: mqttMapping({ timeField: 'D' }), nowMs: () => 0, onNote: () => undefined, ask: null },
      ...{ birthWaitMs: 0, birthWaitMessagesMax: 3, birthWaitBytesMax: 10_000, knownMetricsMax: 1000 },
    })
    const mapped = messages.flatMap(([type, payload, hasDevice]) => {
      const topic = `spBv1.0/G/${type}/N${hasDevice ? '/D' : ''}`
      return nodes.take({ topic, payload, packetId: 1, isAgain: false })
    })
    mapped.push(...nodes.tick())
    expect(mapped.filter(({ hasMore }) => hasMore === undefined)).toHaveLength(messages.length)
    for (const { rows } of mapped) for (const row of rows) JSON.parse(row)
  })
  fc.assert(property, { numRuns: rounds(5000) })
})
