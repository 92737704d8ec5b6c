// The Sparkplug 3.0 specification about the quality of metrics and about deaths, as far as it concerns rows. A name that ends with an identifier
// is a requirement of that specification, with the identifier of its Technology Compatibility Kit (without `tck-id-`). The kit expects a
// host to write a log; these tests check the rows instead.
import { expect, test } from 'vitest'
import { mqttMapping } from '../../../test/support/mqtt-mapping.ts'
import { sparkplugPayload, type WrittenMetric } from '../../../test/support/sparkplug-payloads.ts'
import type { Field } from '../../model/field.ts'
import { SparkplugNodes } from './sparkplug-nodes.ts'

const nowMs = 1_000_000
const quality = (over: Partial<Field> = {}): Field => ({
  name: 'Q',
  source: 'q',
  type: 'long',
  role: 'quality',
  ...over,
})

/** The rows of messages, each as its node or device, metric, value, quality and time. */
function rowsOf(messages: readonly Message[], field: Field | null = quality()): string[] {
  const mapping = mqttMapping({ quality: field, timeField: 'D' })
  const limits = { birthWaitMs: 1000, birthWaitMessagesMax: 10, birthWaitBytesMax: 1000, knownMetricsMax: 100 }
  const nodes = new SparkplugNodes({ mapping, ...limits, nowMs: () => nowMs, ask: null, onNote: () => undefined })
  return messages.flatMap(([path, timestamp, metrics], packetId) => {
    const payload = sparkplugPayload({ ...(timestamp === null ? {} : { timestamp }), metrics, seq: packetId })
    const mapped = nodes.take({ topic: `spBv1.0/G/${path}`, payload, packetId, isAgain: false })
    return mapped.flatMap(({ rows }) => rows.map(shown))
  })
}

type Message = readonly [path: string, timestamp: number | null, metrics: readonly WrittenMetric[]]

function shown(row: string): string {
  const { device, metric, V, q, D, mqtt_error } = JSON.parse(row) as Record<string, unknown>
  if (mqtt_error !== undefined) return String(mqtt_error)
  return `${device === '' ? 'node' : device}/${metric} ${JSON.stringify(V)} ${JSON.stringify(q) ?? '-'} ${Date.parse(String(D))}`
}

const double = (name: string, value: number, more: Partial<WrittenMetric> = {}): WrittenMetric => ({
  name,
  datatype: 10,
  double: value,
  ...more,
})
const of = (value: number | bigint | null): Partial<WrittenMetric> => ({ properties: { Quality: value } })
const bdSeq = (long: number): WrittenMetric => ({ name: 'bdSeq', datatype: 4, long })
const nbirth: Message = ['NBIRTH/N', 10, [bdSeq(1), double('a', 1)]]
const dbirth: Message = ['DBIRTH/N/D', 20, [double('b', 2), { name: 'on', datatype: 11, boolean: true }]]

test.each<[string, WrittenMetric, Field | null, string]>([
  ['no property, which means good', double('a', 1), quality(), '-'],
  ['192, good: payloads-propertyset-quality-value-value', double('a', 1, of(192)), quality(), '192'],
  ['0, bad: payloads-propertyset-quality-value-value', double('a', 1, of(0)), quality(), '0'],
  ['500, stale: payloads-propertyset-quality-value-value', double('a', 1, of(500)), quality(), '500'],
  [
    'of the type Int64, which payloads-propertyset-quality-value-type forbids',
    double('a', 1, of(192n)),
    quality(),
    '192',
  ],
  ['another number, unchanged', double('a', 1, of(-5)), quality(), '-5'],
  ['a null property', double('a', 1, of(null)), quality(), '-'],
  ['next to other properties', double('a', 1, { properties: { engLow: 1, Quality: 0, engHigh: 9 } }), quality(), '0'],
  ['only other properties', double('a', 1, { properties: { engLow: 1 } }), quality(), '-'],
  ['in a string field', double('a', 1, of(500)), quality({ type: 'string' }), '"500"'],
  ['as a number of OPC UA: good', double('a', 1, of(192)), quality({ coding: 'opcua' }), '0'],
  ['as a number of OPC UA: bad', double('a', 1, of(0)), quality({ coding: 'opcua' }), '2147483648'],
  [
    'as a string of OPC UA: stale is bad',
    double('a', 1, of(500)),
    quality({ type: 'string', coding: 'opcua' }),
    '"2147483648"',
  ],
  ['no quality field in the ingest', double('a', 1, of(0)), null, '-'],
])('the quality of a metric: %s', (_, metric, field, expected) => {
  expect(rowsOf([['NBIRTH/N', 10, [metric]]], field)).toEqual([`node/a 1 ${expected} 10`])
})

test('a null metric keeps its quality', () => {
  expect(rowsOf([['NBIRTH/N', 10, [{ name: 'a', datatype: 10, isNull: true, ...of(0) }]]])).toEqual([
    'node/a null 0 10',
  ])
})

test.each<[string, readonly Message[], readonly string[]]>([
  [
    'of a device makes its metrics stale at the time of the payload: operational-behavior-edge-node-termination-host-action-ddeath-devices-tags-stale',
    [nbirth, dbirth, ['DDATA/N/D', 30, [double('b', 7)]], ['DDEATH/N/D', 40, []]],
    ['D/b 7 500 40', 'D/on true 500 40'],
  ],
  [
    'of a device without a time applies at the time of receipt',
    [nbirth, dbirth, ['DDEATH/N/D', null, []]],
    [`D/b 2 500 ${nowMs}`, `D/on true 500 ${nowMs}`],
  ],
  [
    'of a node makes its metrics stale at the time of receipt, as its will was written at birth: operational-behavior-edge-node-termination-host-action-ndeath-node-tags-stale',
    [
      ['NBIRTH/N', 10, [bdSeq(1), double('a', 1), double('c', 4)]],
      ['NDEATH/N', 10, [bdSeq(1)]],
    ],
    [`node/a 1 500 ${nowMs}`, `node/c 4 500 ${nowMs}`],
  ],
  [
    'of a node makes the metrics of its devices stale too: operational-behavior-edge-node-termination-host-action-ndeath-devices-tags-stale',
    [nbirth, dbirth, ['DBIRTH/N/E', 20, [double('d', 5)]], ['NDEATH/N', 10, [bdSeq(1)]]],
    [`node/a 1 500 ${nowMs}`, `D/b 2 500 ${nowMs}`, `D/on true 500 ${nowMs}`, `E/d 5 500 ${nowMs}`],
  ],
  [
    'of a node does not affect the devices of another node',
    [nbirth, ['NBIRTH/M', 10, [bdSeq(3)]], ['DBIRTH/M/D', 20, [double('b', 2)]], ['NDEATH/N', 10, [bdSeq(1)]]],
    [`node/a 1 500 ${nowMs}`],
  ],
  [
    'of the session of the last birth makes its metrics stale: topics-nbirth-bdseq-matching',
    [nbirth, ['NBIRTH/N', 50, [bdSeq(2), double('a', 8)]], ['NDEATH/N', 10, [bdSeq(2)]]],
    [`node/a 8 500 ${nowMs}`],
  ],
  ['of another session has no effect: payloads-ndeath-bdseq', [nbirth, ['NDEATH/N', 10, [bdSeq(0)]]], []],
  ['that is repeated has no effect', [nbirth, dbirth, ['DDEATH/N/D', 40, []], ['DDEATH/N/D', 41, []]], []],
  [
    'of a node or device without a birth has no effect',
    [
      ['DDEATH/N/X', 40, []],
      ['NDEATH/M', 40, [bdSeq(1)]],
    ],
    [],
  ],
  [
    'of a node makes no row for a device that died before it',
    [nbirth, dbirth, ['DDEATH/N/D', 40, []], ['NDEATH/N', 10, [bdSeq(1)]]],
    [`node/a 1 500 ${nowMs}`],
  ],
  [
    'after a value with a future time uses that time',
    [nbirth, ['NDATA/N', 2 * nowMs, [double('a', 3)]], ['NDEATH/N', 10, [bdSeq(1)]]],
    [`node/a 3 500 ${2 * nowMs}`],
  ],
  [
    'repeats the last value and not a historical one received later',
    [nbirth, ['NDATA/N', 30, [double('a', 9, { isHistorical: true, timestamp: 5 })]], ['NDEATH/N', 10, [bdSeq(1)]]],
    [`node/a 1 500 ${nowMs}`],
  ],
  [
    'makes no row for a metric that is null',
    [nbirth, ['NDATA/N', 30, [{ name: 'a', datatype: 10, isNull: true }]], ['NDEATH/N', 10, [bdSeq(1)]]],
    [],
  ],
])('a death %s', (_, messages, expected) => {
  const before = rowsOf(messages.slice(0, -1))
  expect(rowsOf(messages).slice(before.length)).toEqual(expected)
  expect(rowsOf(messages, null).filter((row) => row.includes(' 500 '))).toEqual([])
})
