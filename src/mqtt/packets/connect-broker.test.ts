// Without a real broker; test/tools/mqtt.test.ts uses one.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { generate, parser } from 'mqtt-packet'
import { afterEach, expect, test } from 'vitest'
import { unreachableUrl } from '../../../test/support/cli.ts'
import { connectBroker } from './connect-broker.ts'

const options = {
  clientId: 'c',
  filters: ['#'],
  protocol: '5',
  inFlightMax: 1,
  keepAliveS: 60,
  messageBytesMax: 200_000,
} as const

let server: Server | undefined
afterEach(() => server?.close())

async function listening(onSocket: (socket: Socket) => void): Promise<URL> {
  const made = createServer(onSocket)
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve))
  server = made
  return new URL(`mqtt://127.0.0.1:${(made.address() as AddressInfo).port}`)
}

test('reports a broker that cannot be reached', async () => {
  const { host } = new URL(await unreachableUrl())
  await expect(connectBroker({ ...options, url: new URL(`mqtt://${host}`) }, () => undefined)).rejects.toThrow(
    `The broker ${host} cannot be reached (ECONNREFUSED). Does it run, and is this its address?`,
  )
})

test('stops waiting for a silent broker when aborted', async () => {
  const url = await listening(() => undefined)
  const stop = new AbortController()
  const connected = connectBroker({ ...options, url, signal: stop.signal }, () => undefined)
  stop.abort()
  await expect(connected).rejects.toThrow('the connection attempt was stopped')
})

test('a session closed while messages arrive ends without another message', async () => {
  const wire = { protocolVersion: 5 }
  const url = await listening((socket) => {
    const packets = parser(wire)
    socket.on('data', (bytes) => packets.parse(bytes)).on('error', () => undefined)
    packets.on('packet', (packet) => {
      if (packet.cmd === 'connect')
        socket.write(generate({ cmd: 'connack', reasonCode: 0, sessionPresent: false }, wire))
      else if (packet.cmd === 'subscribe') {
        const { messageId } = packet
        socket.write(generate({ cmd: 'suback', messageId, granted: [1], reasonCode: 0 }, wire))
        // More than is accepted while nothing is read.
        const payload = Buffer.alloc(100_000)
        for (let index = 0; index < 20; index++)
          socket.write(generate({ cmd: 'publish', topic: 't', payload, qos: 0, dup: false, retain: false }, wire))
      } else if (packet.cmd === 'disconnect') socket.end()
    })
  })
  let messages = 0
  const connection = await connectBroker({ ...options, url }, () => {
    messages++
    connection.pause()
  })
  await expect.poll(() => messages).toBeGreaterThan(0)
  const before = messages
  connection.close()
  expect(await connection.ended).toBe('the broker closed the connection')
  expect(messages).toBe(before)
})

test('a message beyond the limit is cut, and the following ones are complete', async () => {
  const wire = { protocolVersion: 5 }
  const url = await listening((socket) => {
    const packets = parser(wire)
    socket.on('data', (bytes) => packets.parse(bytes)).on('error', () => undefined)
    packets.on('packet', (packet) => {
      if (packet.cmd === 'connect')
        socket.write(generate({ cmd: 'connack', reasonCode: 0, sessionPresent: false }, wire))
      else if (packet.cmd === 'subscribe') {
        const { messageId } = packet
        socket.write(generate({ cmd: 'suback', messageId, granted: [1], reasonCode: 0 }, wire))
        // With a topic of one letter, the packet's id and no properties: six bytes before the payload.
        for (const [id, bytes] of [199_994, 199_995, 5_000_000, 3].entries()) {
          const payload = Buffer.alloc(bytes, 'x')
          const packet = {
            cmd: 'publish',
            topic: 't',
            payload,
            qos: 1,
            messageId: id + 1,
            dup: false,
            retain: false,
          } as const
          socket.write(generate(packet, wire))
        }
      }
    })
  })
  const given: unknown[] = []
  const connection = await connectBroker({ ...options, url }, ({ payload, cutBytes, packetId }) =>
    given.push([packetId, payload.length, cutBytes]),
  )
  await expect.poll(() => given.length).toBe(4)
  expect(given).toEqual([
    [1, 199_994, 0],
    [2, 199_994, 1],
    [3, 199_994, 4_800_006],
    [4, 3, 0],
  ])
  connection.close()
})
