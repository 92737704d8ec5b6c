// The messages of `mqtt-rounds.ts`: JSON or Sparkplug B.
import { decodePayload } from '../../src/mqtt/sparkplug/sparkplug-payload.ts'
import { sparkplugPayload } from '../support/sparkplug-payloads.ts'
import { Qos1Publisher } from './qos1-publisher.ts'

export interface PublishedMessages {
  readonly subscribe: readonly string[]
  readonly fields: readonly object[]
  publisher(port: number): Qos1Publisher
  /** Publishes message number `V`; a faulty one makes no row. */
  publish(publisher: Qos1Publisher, V: number, isFaulty: boolean): void
  /** The message number of a rejected row. */
  numberOf(row: unknown): number
  /** Whether any message may be rejected, not only faulty ones. */
  readonly anyRejected: boolean
}

const atMs = Date.UTC(2026, 0, 1)
const time = { name: 'D', type: 'timestamp', role: 'time' }
const tags = (...names: string[]) => names.map((name) => ({ name, type: 'string', role: 'tag' }))
const metric = { name: 'V', type: 'double', role: 'metric' }

export function jsonMessages(): PublishedMessages {
  return {
    subscribe: ['--subscribe', 'plant/+/+', '--topic', 'plant/{area}/{T}'],
    fields: [time, ...tags('T'), { name: 'area', type: 'string', role: 'dimension' }, metric],
    publisher: (port) => new Qos1Publisher(port),
    publish: (publisher, V, isFaulty) => {
      const row = JSON.stringify({ D: new Date(atMs + V).toISOString(), V })
      publisher.publish(`plant/hall/t${V % 7}`, isFaulty ? `${row} #${V}` : row)
    },
    numberOf: (row) => Number(/#(\d+)/.exec(JSON.stringify(row))?.[1]),
    anyRejected: false,
  }
}

const doubleType = 10
const bytesType = 17
const firstMetrics = 7

/** A node whose data messages contain only aliases and have QoS 1, and whose births have QoS 0. It sends births when it connects and on request. */
export function sparkplugMessages(): PublishedMessages {
  let seq = 0
  const next = (): number => seq++ % 256
  const births = Array.from({ length: firstMetrics }, (_, alias) => ({
    name: `t${alias}`,
    alias,
    datatype: doubleType,
  }))
  return {
    subscribe: ['--subscribe', 'spBv1.0/#', '--topic', 'spBv1.0/{T...}', '--birth-wait-ms', '120000'],
    fields: [time, ...tags('T'), metric],
    publisher: (port) => {
      const birth = (): void => {
        seq = 0
        const metrics = births.map((metric) => ({ ...metric, isNull: true, timestamp: atMs - 1 }))
        publisher.publishOnce(
          'spBv1.0/mill/NBIRTH/line',
          sparkplugPayload({ timestamp: Date.now(), seq: next(), metrics }),
        )
      }
      const listening = { topic: 'spBv1.0/mill/NCMD/line', onMessage: birth, onConnect: birth }
      const publisher = new Qos1Publisher(port, listening)
      return publisher
    },
    publish: (publisher, V, isFaulty) => {
      const faulty = isFaulty ? [{ name: 'raw', datatype: bytesType, bytes: new Uint8Array([1]) }] : []
      const value = { alias: V % firstMetrics, double: V, timestamp: atMs + V }
      const payload = sparkplugPayload({ timestamp: Date.now(), seq: next(), metrics: [value, ...faulty] })
      publisher.publish('spBv1.0/mill/NDATA/line', payload)
    },
    numberOf: (row) => {
      const [, base64 = ''] = /mqtt_payload_base64\W+([\w+/=]+)/.exec(JSON.stringify(row)) ?? []
      return Number(decodePayload(Buffer.from(base64, 'base64')).metrics[0]?.value)
    },
    anyRejected: true,
  }
}
