import { expect, test } from 'vitest'
import { mqttMapping } from '../../../test/support/mqtt-mapping.ts'
import { sparkplugPayload, type WrittenMetric } from '../../../test/support/sparkplug-payloads.ts'
import { ReceiveTimes } from '../message-rows.ts'
import { rejectedProperties } from '../rejected-names.ts'
import { topicTemplate } from '../topics.ts'
import { KnownMetrics } from './known-metrics.ts'
import { metricRows } from './metric-rows.ts'
import { decodePayload } from './sparkplug-payload.ts'
import type { SparkplugTopic } from './sparkplug-topic.ts'

const topic: SparkplugTopic = { type: 'DBIRTH', group: 'G', node: 'N', device: 'D' }
const at = Date.UTC(2026, 0, 1)
const fieldsOf = { number: 'V', text: 'S', truth: 'B' }

function rowsOf(
  metrics: readonly WrittenMetric[],
  changes: { timestamp?: number; template?: string; device?: string } = {},
) {
  const bytes = sparkplugPayload({ timestamp: at, metrics, ...changes })
  const payload = decodePayload(bytes)
  const source = { message: { topic: 't', payload: bytes }, topic: { ...topic, ...changes }, payload }
  const mapping = mqttMapping({
    metricTemplate: topicTemplate(changes.template ?? 'spBv1.0/{group}/{node}/{device}/{metric...}'),
    ...{ valueFields: fieldsOf, timeField: 'time', tagFields: ['metric'], receiveTimes: new ReceiveTimes(() => 0) },
  })
  const known = new KnownMetrics(payload.metrics)
  return metricRows(source, (metric) => known.meaningOf(metric), mapping)
}

const long = 2n ** 63n

test.each<[string, WrittenMetric, string]>([
  ['Int8', { datatype: 1, int: -1 }, '"V":-1'],
  ['Int8 as eight bits', { datatype: 1, int: 0xff }, '"V":-1'],
  ['the smallest Int8', { datatype: 1, int: -128 }, '"V":-128'],
  ['Int16', { datatype: 2, int: 0xffff }, '"V":-1'],
  ['Int32', { datatype: 3, int: -2147483648 }, '"V":-2147483648'],
  ['Int32 as a long', { datatype: 3, long: -7n }, '"V":-7'],
  ['Int8 as a long', { datatype: 1, long: -7n }, '"V":-7'],
  ['Int16 as a long of 32 bits', { datatype: 2, long: 0xfffffff9n }, '"V":-7'],
  ['the smallest Int64', { datatype: 4, long: -long }, '"V":-9223372036854775808'],
  ['the largest Int64', { datatype: 4, long: long - 1n }, '"V":9223372036854775807'],
  ['UInt8', { datatype: 5, int: 255 }, '"V":255'],
  ['UInt16', { datatype: 6, int: 65535 }, '"V":65535'],
  ['UInt32', { datatype: 7, int: -1 }, '"V":4294967295'],
  ['UInt32 as a long', { datatype: 7, long: 4294967295n }, '"V":4294967295'],
  ['the largest UInt64', { datatype: 8, long: 2n * long - 1n }, '"V":18446744073709551615'],
  ['Float', { datatype: 9, float: 1.5 }, '"V":1.5'],
  ['Float with its exact value', { datatype: 9, float: 21.1 }, '"V":21.100000381469727'],
  ['Double', { datatype: 10, double: 21.1 }, '"V":21.1'],
  ['Boolean', { datatype: 11, boolean: false }, '"B":false'],
  ['Boolean as a number', { datatype: 11, int: 1 }, '"B":true'],
  ['String', { datatype: 12, string: 'a "b"' }, '"S":"a \\"b\\""'],
  ['DateTime', { datatype: 13, long: BigInt(at) }, `"V":${at}`],
  ['DateTime before 1970, as Java writes it', { datatype: 13, long: -86_400_000n }, '"V":-86400000'],
  ['Text', { datatype: 14, string: '' }, '"S":""'],
  ['UUID', { datatype: 15, string: 'c0ffee' }, '"S":"c0ffee"'],
  ['a double without a type', { double: 2 }, '"V":2'],
  ['null', { datatype: 10, isNull: true }, '"V":null'],
  ['null of type String', { datatype: 12, isNull: true }, '"S":null'],
  ['null of type Boolean', { datatype: 11, isNull: true }, '"B":null'],
  ['null of type DataSet', { datatype: 16, isNull: true }, '"V":null'],
])('%s', (_, metric, value) => {
  const head = '{"group":"G","node":"N","device":"D","metric":"a/b","time":"2026-01-01T00:00:00.000Z"'
  const rows = rowsOf([{ name: 'a/b', ...metric }])
  expect(rows).toEqual([`${head},${value}}`])
  JSON.parse(rows[0]!)
})

test.each<[string, WrittenMetric, string]>([
  ['a dataset', { datatype: 16, dataset: new Uint8Array() }, 'x is of the type DataSet'],
  ['bytes', { datatype: 17, bytes: new Uint8Array([1]) }, 'x is of the type Bytes'],
  ['a template', { datatype: 19, template: new Uint8Array() }, 'x is of the type Template'],
  ['an array', { datatype: 22, bytes: new Uint8Array([1]) }, 'x is of the type Int8Array'],
  ['an unknown type', { datatype: 99, int: 1 }, 'x has the unknown data type 99'],
  ['an integer without a type', { int: 1 }, 'x has no data type'],
  ['a number out of range', { datatype: 1, int: 300 }, 'x is 300, which is not a valid Int8'],
  ['an unsigned number out of range', { datatype: 5, int: 256 }, 'x is 256, which is not a valid UInt8'],
  ['a string for a number', { datatype: 10, string: '1' }, 'x is 1, which is not a valid Double'],
  ['NaN', { datatype: 10, double: Number.NaN }, 'x is NaN'],
  ['an infinite number', { datatype: 9, float: Number.NEGATIVE_INFINITY }, 'x is -Infinity'],
  ['a missing value', { datatype: 10 }, 'x has no value, and is not marked as null'],
  ['a time out of range', { datatype: 10, double: 1, timestamp: 1e16 }, 'x has the time 10000000000000000'],
])('%s makes an error row', (_, metric, why) => {
  const [good, bad, ...more] = rowsOf([
    { name: 'x', ...metric },
    { name: 'good', datatype: 10, double: 1 },
  ])
  expect(good).toContain('"metric":"good"')
  expect(more).toEqual([])
  expect(JSON.parse(bad!)).toMatchObject({ mqtt_error: expect.stringContaining(why), mqtt_topic: 't' })
})

test('protocol metrics and transient metrics make no row', () => {
  const metrics: WrittenMetric[] = [
    { name: 'bdSeq', datatype: 4, long: 1 },
    { name: 'Node Control/Rebirth', datatype: 11, boolean: false },
    { name: 'x', datatype: 10, double: 1, isTransient: true },
  ]
  expect(rowsOf(metrics)).toEqual([])
})

const x = { name: 'x', datatype: 10, double: 1 }

test.each<[string, WrittenMetric[], Parameters<typeof rowsOf>[1], string[]]>([
  ['its own timestamp', [{ ...x, timestamp: at + 1, isHistorical: true }], {}, ['2026-01-01T00:00:00.001Z']],
  ["its payload's timestamp", [x], {}, ['2026-01-01T00:00:00.000Z']],
  ['its own timestamp before 1970, as Java writes it', [{ ...x, timestamp: -1 }], {}, ['1969-12-31T23:59:59.999Z']],
  ["its payload's timestamp before 1970", [x], { timestamp: -86_400_000 }, ['1969-12-31T00:00:00.000Z']],
  [
    'the time of receipt',
    [x, x],
    { timestamp: undefined as never },
    ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.001Z'],
  ],
])('the time of a metric is %s', (_, metrics, changes, times) => {
  expect(rowsOf(metrics, changes).map((row) => (JSON.parse(row) as { time: string }).time)).toEqual(times)
})

test.each([
  ['spBv1.0/{T...}', 'D', { T: 'G/N/D/x' }],
  ['spBv1.0/{T...}', '', { T: 'G/N//x' }],
  ['spBv1.0/{g}/{n}/{T...}', '', { g: 'G', n: 'N', T: '/x' }],
  ['spBv1.0/{g}/{n}/{d}/{m...}', '', { g: 'G', n: 'N', d: '', m: 'x' }],
  ['spBv1.0/G/N/{d}/{m}', 'D', { d: 'D', m: 'x' }],
  ['spBv1.0/H/{T...}', 'D', { mqtt_error: 'x does not fit --topic as spBv1.0/G/N/D/x' }],
])('template %s names a metric of device "%s" as %j', (template, device, names) => {
  expect(JSON.parse(rowsOf([x], { template, device })[0]!)).toMatchObject(names)
})

test.each([
  ['spBv1.0/{T...}', ['D', 'T', 'V', 'S', 'B'], []],
  ['spBv1.0/{group}/{T...}', ['D', 'T', 'V'], ['group', 'S', 'B']],
])('with template %s, an ingest with the sources %j lacks %j', (template, sources, strange) => {
  const mapping = mqttMapping({ metricTemplate: topicTemplate(template), valueFields: fieldsOf })
  expect(rejectedProperties(sources, mapping)).toEqual(strange)
})
