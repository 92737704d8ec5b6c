import { expect, test, vi } from 'vitest'
import { mqttMapping } from '../../test/support/mqtt-mapping.ts'
import { sparkplugPayload, type WrittenMetric } from '../../test/support/sparkplug-payloads.ts'
import type { PushOptions } from '../client/request-options.ts'
import { ServiceError } from '../client/service-error.ts'
import type { BrokerOptions, ConnectBroker, ReceivedMessage } from './broker.ts'
import { BrokerError } from './broker.ts'
import { runConnector } from './connector.ts'

const broker: BrokerOptions = {
  ...{
    url: new URL('mqtt://broker'),
    clientId: 'c',
    filters: ['#'],
    protocol: '5',
    inFlightMax: 10,
    keepAliveS: 30,
    messageBytesMax: 1000,
  },
}

const sparkplug = {
  birthWaitMs: 1000,
  birthWaitMessagesMax: 10,
  birthWaitBytesMax: 1000,
  knownMetricsMax: 100,
  mayAsk: true,
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}

interface Changes {
  readonly maxBufferedBytes?: number
  readonly refuse?: (body: string) => Error | null
  /** The broker accepts no connection until this resolves. */
  readonly opens?: Promise<void>
}

/** A broker whose sessions and messages the test controls, and a service that responds when and as the test decides. */
function world(changes: Changes = {}) {
  const reported: string[] = []
  const pushes: { rows: unknown[]; key: string | undefined; answer: (error?: Error) => void }[] = []
  let end: (reason: string) => void = () => undefined
  let receive: (message: ReceivedMessage) => void = () => undefined
  let connections = 0
  const connect: ConnectBroker = async (_, onMessage) => {
    receive = onMessage
    await changes.opens
    const isResumed = connections++ > 0
    const ended = new Promise<string>((resolve) => {
      end = resolve
    })
    return {
      ...{ isResumed, ended, pause: () => reported.push('pause'), resume: () => reported.push('resume') },
      acknowledge: (packetId) => reported.push(`ack ${packetId}`),
      publish: (topic) => reported.push(`publish ${topic}`),
      close: () => reported.push('close'),
    }
  }
  const client = {
    push: (_: string, body: string | Uint8Array, { idempotencyKey }: PushOptions) => {
      const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
      const refused = changes.refuse?.(text) ?? null
      if (refused !== null) return Promise.reject(refused)
      return new Promise<{ batch: string; rows: number }>((resolve, reject) => {
        const answer = (error?: Error): void => (error === undefined ? resolve({ batch: 'b', rows: 1 }) : reject(error))
        pushes.push({ rows: JSON.parse(text), key: idempotencyKey, answer })
      })
    },
  }
  const stop = new AbortController()
  const mapping = mqttMapping()
  const bounds = { maxBatchRows: 2, maxBufferedBytes: 1000, flushIntervalMs: 1, sparkplug, ...changes }
  const options = {
    broker,
    connect,
    client,
    ingest: 'plant',
    mapping,
    ...bounds,
    signal: stop.signal,
    onNote: () => undefined,
  }
  const done = runConnector(options)
  const send = (packetId: number | null, payload: string, isAgain = false): void =>
    receive({ topic: 't', payload: new TextEncoder().encode(payload), packetId, isAgain })
  const sendMetrics = (packetId: number | null, type: string, seq: number, ...metrics: WrittenMetric[]): void =>
    receive({
      ...{ topic: `spBv1.0/G/${type}/N`, packetId, isAgain: false },
      payload: sparkplugPayload({ timestamp: 0, seq, metrics }),
    })
  const sendCut = (packetId: number, topic: string, cutBytes: number): void =>
    receive({ topic, payload: new TextEncoder().encode('{"V":1'), cutBytes, packetId, isAgain: false })
  return { reported, pushes, send, sendCut, sendMetrics, stop, done, breakOff: () => end('gone') }
}

test('acknowledges messages when their rows are on disk, in the order of arrival', async () => {
  const { reported, pushes, send, stop, done } = world()
  await settled()
  send(1, '[1,2,3]')
  send(2, '[]')
  send(null, '4')
  await settled()
  expect(pushes.map(({ rows }) => rows)).toEqual([[{ V: 1 }, { V: 2 }]])
  pushes[0]!.answer()
  await settled()
  expect(reported).toEqual([])
  pushes[1]!.answer()
  await settled()
  expect(reported).toEqual(['ack 1', 'ack 2'])
  stop.abort()
  expect(await done).toEqual({ messages: 3, rows: 4, again: 0 })
})

test.each(['t', 'spBv1.0/G/NDATA/N'])(
  'pushes the beginning of a message to %s that is too large, as a row to be rejected',
  async (topic) => {
    const { reported, pushes, sendCut, stop, done } = world()
    await settled()
    sendCut(1, topic, 268_435_450)
    await settled()
    expect(pushes.map(({ rows }) => rows)).toEqual([
      [
        {
          mqtt_error: 'the message is larger than 1000 bytes (--message-bytes)',
          mqtt_topic: topic,
          mqtt_payload_base64: Buffer.from('{"V":1').toString('base64'),
          mqtt_payload_bytes: 268_435_456,
        },
      ],
    ])
    pushes[0]!.answer()
    await settled()
    expect(reported).toEqual(['ack 1'])
    stop.abort()
    await done
  },
)

test('closes a connection that opens after the end, and reads none of its messages', async () => {
  let open: () => void = () => undefined
  const opens = new Promise<void>((resolve) => {
    open = resolve
  })
  const { reported, pushes, send, stop, done } = world({ opens })
  await settled()
  stop.abort()
  expect(await done).toEqual({ messages: 0, rows: 0, again: 0 })
  open()
  await settled()
  send(1, '1')
  await settled()
  expect([reported, pushes]).toEqual([['close'], []])
})

test('the end waits for nothing if everything is stored', async () => {
  const { reported, stop, done } = world()
  await settled()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    stop.abort()
    await done
    expect([reported, vi.getTimerCount()]).toEqual([['pause', 'close'], 0])
  } finally {
    vi.useRealTimers()
  }
})

test('pauses the broker while the buffer is full', async () => {
  const { reported, pushes, send } = world({ maxBufferedBytes: 14 })
  await settled()
  for (const packetId of [1, 2, 3]) send(packetId, String(packetId))
  await settled()
  expect(reported).toEqual(['pause'])
  pushes[0]!.answer()
  await settled()
  expect(reported).toEqual(['pause', 'ack 1', 'ack 2', 'resume'])
})

test('a message resent before its acknowledgement is not pushed twice; a different one is pushed', async () => {
  const { reported, pushes, send, stop, done, breakOff } = world()
  await settled()
  send(1, '1')
  send(2, '2')
  await settled()
  breakOff()
  await new Promise((resolve) => setTimeout(resolve, 500))
  pushes[0]!.answer()
  await settled()
  expect(reported).toEqual([])
  send(1, '1', true)
  // Another message with the same id, and one with an id that was never seen.
  send(2, '3', true)
  send(4, '4', true)
  await settled()
  expect(reported).toEqual(['ack 1'])
  pushes[1]!.answer()
  await settled()
  expect(pushes.map(({ rows }) => rows)).toEqual([
    [{ V: 1 }, { V: 2 }],
    [{ V: 3 }, { V: 4 }],
  ])
  expect(reported).toEqual(['ack 1', 'ack 2', 'ack 4'])
  stop.abort()
  expect(await done).toEqual({ messages: 5, rows: 4, again: 1 })
})

const problem = (status: number, code: string): ServiceError =>
  new ServiceError({ status, code, detail: 'No.', errors: [], retryable: false, retryAfterS: null })

test('a message that the service refuses is pushed again with the same key', async () => {
  const { reported, pushes, send } = world()
  await settled()
  send(1, '1')
  await settled()
  pushes[0]!.answer(problem(423, 'ingest_blocked'))
  await new Promise((resolve) => setTimeout(resolve, 600))
  expect(pushes.map(({ key }) => key)).toEqual([pushes[0]!.key, pushes[0]!.key])
  pushes[1]!.answer()
  await settled()
  expect(reported).toEqual(['ack 1'])
})

test('a row that the service cannot accept at all is pushed as the raw message', async () => {
  const refuse = (body: string): Error | null => (body.includes('"V":"x') ? problem(400, 'body_too_large') : null)
  const { reported, pushes, send } = world({ refuse })
  await settled()
  send(1, '"xx"')
  await settled()
  expect(pushes.map(({ rows }) => rows)).toEqual([
    [{ mqtt_error: 'the service does not accept it: No.', mqtt_topic: 't', mqtt_payload: '"xx"' }],
  ])
  expect(reported).toEqual([])
  pushes[0]!.answer()
  await settled()
  expect(reported).toEqual(['ack 1'])
})

const metricNamed = (metric: string, V: number) => ({ group: 'G', node: 'N', device: '', metric, V })

test('a message with unknown aliases is acknowledged when its birth has come and its rows are on disk', async () => {
  const { reported, pushes, send, sendMetrics } = world()
  await settled()
  sendMetrics(1, 'NDATA', 4, { alias: 1, double: 5 })
  send(2, '2')
  await settled()
  pushes[0]!.answer()
  await settled()
  expect(pushes.map(({ rows }) => rows)).toEqual([[{ V: 2 }]])
  expect(reported).toEqual(['publish spBv1.0/G/NCMD/N'])
  sendMetrics(null, 'NBIRTH', 0, { name: 'a', alias: 1, datatype: 10, double: 0 })
  await settled()
  expect(pushes[1]!.rows).toEqual([metricNamed('a', 5), metricNamed('a', 0)])
  expect(reported).toHaveLength(1)
  pushes[1]!.answer()
  await settled()
  expect(reported.slice(1)).toEqual(['ack 1', 'ack 2'])
})

test('a message that waits for a birth in part is acknowledged when the rows of both parts are on disk', async () => {
  const { reported, pushes, sendMetrics } = world()
  await settled()
  sendMetrics(1, 'NDATA', 4, { name: 'a', double: 5 }, { alias: 1, double: 6 })
  await settled()
  expect(pushes[0]!.rows).toEqual([metricNamed('a', 5)])
  pushes[0]!.answer()
  await settled()
  expect(reported).toEqual(['publish spBv1.0/G/NCMD/N'])
  sendMetrics(null, 'NBIRTH', 0, { name: 'b', alias: 1, datatype: 10, double: 0 })
  await settled()
  expect(pushes[1]!.rows).toEqual([metricNamed('b', 6), metricNamed('b', 0)])
  pushes[1]!.answer()
  await settled()
  expect(reported.slice(1)).toEqual(['ack 1'])
})

test('a message without a birth is pushed as an error row; at the end, one to be resent stays with the broker', async () => {
  const { reported, pushes, sendMetrics, stop, done } = world()
  const isUnknown = (alias: number) =>
    expect.objectContaining({ mqtt_error: expect.stringContaining(`alias ${alias}`) })
  await settled()
  sendMetrics(1, 'NDATA', 4, { alias: 1, double: 5 })
  await expect.poll(() => pushes[0]?.rows, { timeout: 10_000 }).toEqual([isUnknown(1)])
  pushes[0]!.answer()
  await settled()
  expect(reported).toEqual(['publish spBv1.0/G/NCMD/N', 'ack 1'])
  sendMetrics(2, 'NDATA', 5, { alias: 2, double: 5 })
  sendMetrics(null, 'NDATA', 6, { alias: 3, double: 5 })
  await settled()
  stop.abort()
  await settled()
  expect(pushes[1]!.rows).toEqual([isUnknown(3)])
  pushes[1]!.answer()
  expect(await done).toMatchObject({ messages: 3, rows: 2 })
  expect(reported.slice(2)).toEqual(['pause', 'close'])
})

test('ends when the broker refuses the connection', async () => {
  const connect: ConnectBroker = () => Promise.reject(new BrokerError('wrong password', { isFinal: true }))
  const options = { broker, connect, client: { push: () => Promise.reject(new Error()) }, ingest: 'plant' }
  const mapping = mqttMapping()
  const bounds = { maxBatchRows: 2, maxBufferedBytes: 1000, flushIntervalMs: 1, sparkplug }
  const { signal } = new AbortController()
  await expect(runConnector({ ...options, mapping, ...bounds, signal, onNote: () => undefined })).rejects.toThrow(
    'wrong password',
  )
})
