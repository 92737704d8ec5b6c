import { expect, test } from 'vitest'
import { mqttMapping } from '../../../test/support/mqtt-mapping.ts'
import { sparkplugPayload, type WrittenMetric } from '../../../test/support/sparkplug-payloads.ts'
import { SparkplugNodes, type SparkplugOptions } from './sparkplug-nodes.ts'

/** One node and its device. `asked` are the rebirth requests; rows are shown as `metric=value`, or as their error. */
function world(changes: Partial<SparkplugOptions> = {}) {
  const asked: string[] = []
  let nowMs = 0
  let packetId = 0
  const nodes = new SparkplugNodes({
    ...{
      mapping: mqttMapping(),
      birthWaitMs: 1000,
      birthWaitMessagesMax: 10,
      birthWaitBytesMax: 1000,
      knownMetricsMax: 100,
    },
    nowMs: () => nowMs,
    ask: (topic) => asked.push(topic),
    onNote: () => undefined,
    ...changes,
  })
  const reported = (mapped: ReturnType<SparkplugNodes['take']>): string[] =>
    mapped.flatMap(({ rows }) =>
      rows.map((row) => {
        const { metric, V, mqtt_error } = JSON.parse(row) as { metric: string; V: number; mqtt_error?: string }
        return mqtt_error ?? `${metric}=${V}`
      }),
    )
  const send = (
    path: string,
    seq: number | undefined,
    metrics: WrittenMetric[] = [],
    more: { at?: number; isAgain?: boolean } = {},
  ) => {
    const { at = ++packetId, isAgain = false } = more
    const payload = sparkplugPayload({ timestamp: at, metrics, ...(seq === undefined ? {} : { seq }) })
    return reported(nodes.take({ topic: `spBv1.0/G/${path}`, payload, packetId: ++packetId, isAgain }))
  }
  const tick = (ms: number): string[] => {
    nowMs += ms
    return reported(nodes.tick())
  }
  return { asked, send, tick, nodes }
}

const ncmd = 'spBv1.0/G/NCMD/N'
const named = (name: string, alias: number, double = 0): WrittenMetric => ({ name, alias, datatype: 10, double })
const value = (alias: number, double: number): WrittenMetric => ({ alias, double })
const bdSeq = (long: number): WrittenMetric => ({ name: 'bdSeq', datatype: 4, long })
const missing = (alias: number): string => `the birth that defines alias ${alias} did not arrive`
const unsaid = (alias: number): string => `the birth before it does not define alias ${alias}`
const changed = (alias: number): string =>
  `a message is missing, and no later birth confirms that alias ${alias} is unchanged`

test('aliases have the meaning given by the birth of their node or device', () => {
  const { asked, send } = world()
  expect(send('NBIRTH/N', 0, [named('a', 1)])).toEqual(['a=0'])
  expect(send('DBIRTH/N/D', 1, [named('b', 1), { name: 'c', alias: 2, datatype: 1, int: -1 }])).toEqual(['b=0', 'c=-1'])
  expect(send('NDATA/N', 2, [value(1, 5)])).toEqual(['a=5'])
  // Its type comes from the birth.
  expect(send('DDATA/N/D', 3, [value(1, 6), { alias: 2, int: 0xfe }])).toEqual(['b=6', 'c=-2'])
  expect(asked).toEqual([])
})

test('sequence numbers wrap around, separately for each node', () => {
  const { asked, send } = world()
  send('NBIRTH/N', 254, [named('a', 1)])
  send('NBIRTH/M', 7, [named('m', 1)])
  expect(send('NDATA/N', 255, [value(1, 1)])).toEqual(['a=1'])
  expect(send('NDATA/N', 0, [value(1, 2)])).toEqual(['a=2'])
  expect(send('NDATA/M', 8, [value(1, 3)])).toEqual(['m=3'])
  expect(asked).toEqual([])
})

test('data without a birth waits for it, and a rebirth is requested', () => {
  const { asked, send } = world()
  expect(send('NDATA/N', 5, [value(1, 5)])).toEqual([])
  expect(send('DDATA/N/D', 6, [value(1, 6)])).toEqual([])
  expect(asked).toEqual([ncmd])
  expect(send('NBIRTH/N', 0, [named('a', 1)])).toEqual(['a=5', 'a=0'])
  expect(send('DBIRTH/N/D', 1, [named('b', 1)])).toEqual(['b=6', 'b=0'])
  expect(asked).toEqual([ncmd])
})

test('data with names and types needs no birth, but a rebirth is requested', () => {
  const { asked, send } = world()
  expect(send('NDATA/N', 5, [{ name: 'a', datatype: 1, int: -1 }])).toEqual(['a=-1'])
  expect(send('NDATA/N', 6, [{ name: 'a', double: 2 }])).toEqual(['a=2'])
  expect(send('NDATA/N', 7, [{ name: 'a', int: 2 }])).toEqual([])
  expect(asked).toEqual([ncmd])
})

test('after a gap no alias is known, because a birth may be missing', () => {
  const { asked, send } = world()
  send('NBIRTH/N', 0, [named('a', 1)])
  expect(send('NDATA/N', 2, [value(1, 5)])).toEqual([])
  expect(asked).toEqual([ncmd])
  expect(send('NDATA/N', 3, [value(1, 6)])).toEqual([])
  expect(send('NBIRTH/N', 0, [named('b', 1)])).toEqual([changed(1), changed(1), 'b=0'])
  expect(send('NDATA/N', 1, [value(1, 7)])).toEqual(['b=7'])
  expect(asked).toEqual([ncmd])
})

const pressure = [named('pressure', 1)]
const renumbered = [named('temperature', 1), named('pressure', 2), named('zz', 99)]
const born = ['temperature=0', 'pressure=0', 'zz=0']
const withoutType = { name: 'zz', int: 5 }

interface WaitCase {
  readonly says: string
  /** The sequence number of the data, which arrives at 1000 after a birth with 0; absent if no birth arrived before it. */
  readonly seq?: number
  readonly data: WrittenMetric[]
  readonly rows?: string[]
  readonly birth: WrittenMetric[]
  readonly bornAt?: number
  readonly rowsAtBirth: string[]
}

const waitCases: WaitCase[] = [
  {
    ...{
      says: 'a metric is read by the birth before it, and an alias that this birth lacks not by a later one',
      seq: 1,
    },
    ...{ data: [value(1, 222), value(99, 5)], rows: ['pressure=222'] },
    ...{ birth: renumbered, rowsAtBirth: [unsaid(99), ...born] },
  },
  {
    ...{ says: 'a name whose type the birth before it lacks is not read by a later one', seq: 1 },
    ...{ data: [value(1, 222), withoutType], rows: ['pressure=222'] },
    ...{ birth: [{ name: 'zz', alias: 99, datatype: 3, int: 0 }], rowsAtBirth: ['zz has no data type', 'zz=0'] },
  },
  {
    ...{ says: 'an alias that neither birth defines makes an error row', seq: 1, data: [value(1, 5), value(2, 6)] },
    ...{ rows: ['pressure=5'], birth: pressure, rowsAtBirth: [unsaid(2), 'pressure=0'] },
  },
  {
    ...{ says: 'after a gap, an alias that a later birth renames makes an error row', seq: 2 },
    ...{ data: [value(1, 222)], birth: renumbered, rowsAtBirth: [changed(1), ...born] },
  },
  {
    ...{ says: 'after a gap, an alias that a later birth confirms is read', seq: 2, data: [value(1, 222)] },
    ...{ birth: [...pressure, named('zz', 99)], rowsAtBirth: ['pressure=222', 'pressure=0', 'zz=0'] },
  },
  {
    ...{
      says: 'after a gap, an alias whose type a later birth changes makes an error row',
      seq: 2,
      data: [value(1, 222)],
    },
    ...{ birth: [{ ...named('pressure', 1), datatype: 9 }], rowsAtBirth: [changed(1), 'pressure=0'] },
  },
  {
    ...{ says: 'after a gap, a new alias is read by a later birth: the birth that defined it may be missing', seq: 2 },
    ...{ data: [value(99, 5)], birth: renumbered, rowsAtBirth: ['zz=5', ...born] },
  },
  {
    ...{ says: 'data that overtakes its birth is read by that birth', seq: 2, data: [value(1, 222), value(99, 5)] },
    ...{ birth: renumbered, bornAt: 1000, rowsAtBirth: ['temperature=222', 'zz=5', ...born] },
  },
  {
    ...{
      says: 'data that overtakes its birth is read by it also if it continues the previous sequence',
      seq: 1,
      data: [value(99, 5)],
    },
    ...{ birth: renumbered, bornAt: 1000, rowsAtBirth: ['zz=5', ...born] },
  },
  {
    ...{ says: 'if no birth is known, data is read by the next one', data: [{ alias: 1, int: 222 }, withoutType] },
    ...{ birth: [{ name: 'zz', alias: 1, datatype: 3, int: 0 }], rowsAtBirth: ['zz=222', 'zz=5', 'zz=0'] },
  },
]

test.each(waitCases.flatMap((one) => (['node', 'device'] as const).map((of) => [one.says, of, one] as const)))(
  '%s (of a %s)',
  (_, of, { seq, data, rows = [], birth, bornAt = 5000, rowsAtBirth }) => {
    const { send } = world()
    const [prefix, path, sequence] = of === 'node' ? ['N', 'N', 0] : ['D', 'N/D', 1]
    if (of === 'device') send('NBIRTH/N', 0, [], { at: 0 })
    if (seq !== undefined) send(`${prefix}BIRTH/${path}`, sequence, pressure, { at: 0 })
    expect(send(`${prefix}DATA/${path}`, sequence + (seq ?? 0), data, { at: 1000 })).toEqual(rows)
    // A device's birth continues the sequence, as does every message except a node's birth.
    const next = of === 'node' ? 0 : sequence + (seq ?? 0) + 1
    expect(send(`${prefix}BIRTH/${path}`, next, birth, { at: bornAt })).toEqual(rowsAtBirth)
  },
)

test.each<[string, number | undefined, WrittenMetric[], string[], string[]]>([
  [
    'an alias that the birth lacks, next to one that it has',
    1,
    [value(1, 222), value(99, 5)],
    ['pressure=222'],
    [unsaid(99)],
  ],
  ['an alias of a birth before a gap', 2, [value(1, 222)], [], [changed(1)]],
  ['a new alias after a gap', 2, [value(99, 5)], [], [missing(99)]],
  ['an alias without a birth', undefined, [value(1, 222)], [], [missing(1)]],
])('a death, or the end of the wait, rejects waiting data with the true reason: %s', (_, seq, data, rows, rejected) => {
  const enders: ((of: ReturnType<typeof world>) => string[])[] = [
    ({ send }) => send('NDEATH/N', undefined, [bdSeq(3)]),
    ({ tick }) => tick(1000),
  ]
  for (const end of enders) {
    const one = world()
    if (seq !== undefined) one.send('NBIRTH/N', 0, [bdSeq(3), ...pressure])
    expect(one.send('NDATA/N', seq ?? 1, data)).toEqual(rows)
    expect(end(one)).toEqual(rejected)
    expect(one.tick(9000)).toEqual([])
  }
})

test('a rebirth is requested again while messages wait, and they are rejected after birthWaitMs', () => {
  const { asked, send, tick } = world({ birthWaitMs: 5000 })
  send('NDATA/N', 5, [value(1, 5)])
  expect(tick(2999)).toEqual([])
  expect(asked).toEqual([ncmd])
  expect(tick(1)).toEqual([])
  expect(asked).toEqual([ncmd, ncmd])
  expect(tick(2000)).toEqual([missing(1)])
  expect(tick(9000)).toEqual([])
  expect(asked).toEqual([ncmd, ncmd])
})

test.each([
  ['messages', { birthWaitMessagesMax: 1 }],
  ['bytes', { birthWaitBytesMax: 30 }],
])('beyond the limit of waiting %s, the oldest is rejected', (_, changes) => {
  const { send } = world(changes)
  expect(send('NDATA/N', 5, [value(1, 5)])).toEqual([])
  expect(send('NDATA/N', 6, [value(2, 6)])).toEqual([missing(1)])
})

test('without rebirth requests, data waits for a birth all the same', () => {
  const { send } = world({ ask: null })
  expect(send('NDATA/N', 5, [value(1, 5)])).toEqual([])
  expect(send('NBIRTH/N', 0, [named('a', 1)])).toEqual(['a=5', 'a=0'])
})

test('a death makes no row and rejects waiting data, and data after it needs a birth', () => {
  const { asked, send } = world()
  send('NBIRTH/N', 0, [bdSeq(3), named('a', 1)])
  send('DBIRTH/N/D', 1, [named('b', 1)])
  expect(send('DDEATH/N/D', 2)).toEqual([])
  expect(send('DDATA/N/D', 3, [value(1, 5)])).toEqual([])
  expect(send('NDATA/N', 4, [value(1, 5)])).toEqual(['a=5'])
  // The will of an earlier session.
  expect(send('NDEATH/N', undefined, [bdSeq(2)])).toEqual([])
  expect(send('NDATA/N', 5, [value(1, 6)])).toEqual(['a=6'])
  expect(send('NDEATH/N', undefined, [bdSeq(3)])).toEqual([missing(1)])
  expect(send('NDATA/N', 6, [value(1, 7)])).toEqual([])
  expect(asked).toEqual([ncmd])
})

test('a message resent, or sent before the known birth, is not a gap', () => {
  const { asked, send } = world()
  send('NBIRTH/N', 0, [named('a', 1)], { at: 100 })
  send('NDATA/N', 1, [value(1, 1)], { at: 101 })
  send('NDATA/N', 2, [value(1, 2)], { at: 102 })
  expect(send('NBIRTH/N', 0, [named('old', 1)], { at: 50, isAgain: true })).toEqual(['old=0'])
  expect(send('NDATA/N', 1, [value(1, 1)], { at: 101, isAgain: true })).toEqual(['a=1'])
  expect(send('NDATA/N', 77, [value(1, 9)], { at: 99 })).toEqual(['a=9'])
  expect(send('NDATA/N', 3, [value(1, 3)], { at: 103 })).toEqual(['a=3'])
  expect(asked).toEqual([])
})

test('a birth is accepted although its clock was set back', () => {
  const { asked, send } = world()
  send('NBIRTH/N', 0, [named('a', 1)], { at: 100 })
  send('NBIRTH/N', 0, [named('b', 1)], { at: 50 })
  expect(send('NDATA/N', 1, [value(1, 1)], { at: 51 })).toEqual(['b=1'])
  expect(asked).toEqual([])
})

test('beyond the limit of metrics, the node seen first is forgotten', () => {
  const { asked, send } = world({ knownMetricsMax: 5 })
  send('NBIRTH/N', 0, [named('a', 1)])
  expect(send('NBIRTH/M', 0, [named('b', 1)])).toEqual(['b=0'])
  expect(send('NDATA/M', 1, [value(1, 1)])).toEqual(['b=1'])
  expect(send('NDATA/N', 1, [value(1, 1)])).toEqual([])
  expect(asked).toEqual([ncmd])
})

test('if one node alone exceeds the limit, its first births are forgotten and the last one stays', () => {
  const { asked, send } = world({ knownMetricsMax: 8 })
  send('NBIRTH/N', 0, [named('a', 1)])
  send('DBIRTH/N/D1', 1, [named('b', 1)])
  expect(send('DBIRTH/N/D2', 2, [named('c', 1)])).toEqual(['c=0'])
  expect(send('DDATA/N/D1', 3, [value(1, 1)])).toEqual(['b=1'])
  expect(send('DDATA/N/D2', 4, [value(1, 1)])).toEqual(['c=1'])
  expect(asked).toEqual([])
  expect(send('NDATA/N', 5, [value(1, 1)])).toEqual([])
  expect(asked).toEqual([ncmd])
})

test('data that a node stored while offline, with old times, is not a gap', () => {
  const { asked, send } = world()
  send('NBIRTH/N', 0, [named('a', 1)], { at: 100 })
  expect(send('NDATA/N', 1, [value(1, 1)], { at: 50 })).toEqual(['a=1'])
  expect(send('NDATA/N', 2, [value(1, 2)], { at: 60 })).toEqual(['a=2'])
  expect(send('NDATA/N', 3, [value(1, 3)], { at: 101 })).toEqual(['a=3'])
  expect(asked).toEqual([])
})

test('births without metrics count towards the limit too', () => {
  const { asked, send } = world({ knownMetricsMax: 8 })
  send('NBIRTH/N', 0, [named('a', 1)])
  send('NBIRTH/M', 0)
  for (let device = 1; device <= 10; device++) send(`DBIRTH/M/D${device}`, device)
  expect(send('NDATA/N', 1, [value(1, 1)])).toEqual([])
  expect(asked).toEqual([ncmd])
})

test.each([
  ['spBv1.0/G/NCMD/N', []],
  ['spBv1.0/G/DCMD/N/D', []],
  ['spBv1.0/STATE/host', []],
  ['spBv1.0/G/NDATA/N/D', ['the topic is not a Sparkplug B topic']],
  ['spBv1.0/G/DDATA/N', ['the topic is not a Sparkplug B topic']],
  ['spBv1.0/G/WHAT/N', ['the topic is not a Sparkplug B topic']],
  ['spBv1.0/G/DDATA/N/D/E', ['the topic is not a Sparkplug B topic']],
  ['spBv1.0/G/NDATA/N', [expect.stringContaining('the payload is not a Sparkplug B payload (')]],
])('a text payload on %s', (topic, faults) => {
  const { nodes } = world()
  const payload = new TextEncoder().encode('{"online":true}')
  const [mapped] = nodes.take({ topic, payload, packetId: 1, isAgain: false })
  expect(mapped!.rows.map((row) => (JSON.parse(row) as { mqtt_error: string }).mqtt_error)).toEqual(faults)
})
