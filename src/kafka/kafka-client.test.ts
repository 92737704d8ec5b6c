// Which broker receives a request, among brokers that respond, are silent, or are unavailable.
import { createServer, type Server, type Socket } from 'node:net'
import { initProducerIdV4 } from '@platformatic/kafka'
import { afterEach, expect, test } from 'vitest'
import { KafkaClient } from './kafka-client.ts'

type Doing = 'answers' | 'is silent' | 'is away'

const opened: { close(): unknown }[] = []

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** Responds to requests for an identity, with its port as the producer's id; counts the requests. */
async function broker(doing: Doing) {
  const sockets = new Set<Socket>()
  const reported = { doing, asked: 0, port: 0, connections: 0 }
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    reported.connections++
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (request) => {
      reported.asked++
      if (reported.doing === 'answers') socket.write(identityAnswer(request.readInt32BE(8), reported.port))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  reported.port = typeof address === 'object' && address !== null ? address.port : 0
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  if (doing === 'is away') await close()
  else opened.push({ close })
  return { reported, sockets }
}

/** Version 4 of the response, without error, throttling and tags. */
function identityAnswer(correlationId: number, producerId: number): Buffer {
  const answer = Buffer.alloc(26)
  answer.writeInt32BE(22, 0)
  answer.writeInt32BE(correlationId, 4)
  answer.writeBigInt64BE(BigInt(producerId), 15)
  return answer
}

function clientOf(
  brokers: readonly { readonly reported: { readonly port: number } }[],
  timeoutMs: number,
): KafkaClient {
  const addresses = brokers.map(({ reported }) => `127.0.0.1:${reported.port}`)
  const access = { brokers: addresses, clientId: 'test', tls: false, caFile: null, login: null, timeoutMs }
  const client = new KafkaClient(access)
  opened.push(client)
  return client
}

const askAny = async (client: KafkaClient): Promise<number> =>
  Number((await client.ask('any', initProducerIdV4.api, null, 0, -1n, -1)).producerId)

test.each<{ doings: Doing[] }>([
  { doings: ['is silent', 'answers'] },
  { doings: ['is away', 'answers'] },
  { doings: ['is silent', 'is away', 'is silent', 'answers'] },
])('a broker that answers is preferred for requests that any broker may answer: $doings', async ({ doings }) => {
  const brokers = await Promise.all(doings.map(broker))
  const client = clientOf(brokers, 800)
  const healthy = brokers.at(-1)!.reported
  expect(await askAny(client)).toBe(healthy.port)
  const asked = brokers.map(({ reported }) => reported.asked)
  for (let times = 0; times < 20; times++) expect(await askAny(client)).toBe(healthy.port)
  expect(brokers.slice(0, -1).map(({ reported }) => reported.asked)).toEqual(asked.slice(0, -1))
})

test('a timeout of any length is capped at the maximum of timers and requests', () => {
  const longest = 2 ** 31 - 1
  const client = clientOf([], longest)
  const sibling = client.sibling({ timeoutMs: client.timeoutMs + 10_000 })
  opened.push(sibling)
  expect([client.timeoutMs, sibling.timeoutMs]).toEqual([longest, longest])
})

test('a broker that has recovered is used again when the others fail', async () => {
  const [one, other] = [await broker('is silent'), await broker('answers')]
  const client = clientOf([one, other], 400)
  expect(await askAny(client)).toBe(other.reported.port)
  one.reported.doing = 'answers'
  other.reported.doing = 'is silent'
  expect(await askAny(client)).toBe(one.reported.port)
  expect(await askAny(client)).toBe(one.reported.port)
})

test.each<{ doings: Doing[]; says: string }>([
  { doings: ['is silent'], says: 'does not answer' },
  { doings: ['is silent', 'is silent'], says: 'does not answer' },
  { doings: ['is away'], says: 'cannot be reached' },
])('when no broker answers, the error says why: $doings', async ({ doings, says }) => {
  const client = clientOf(await Promise.all(doings.map(broker)), 200)
  await expect(askAny(client)).rejects.toMatchObject({
    name: 'KafkaUnavailable',
    message: expect.stringContaining(says),
  })
})

test('closing a client closes all connections, also those to brokers that have not answered', async () => {
  const brokers = [await broker('is silent'), await broker('answers')]
  const client = clientOf(brokers, 5000)
  await askAny(client)
  const waiting = Promise.all(
    brokers
      .flatMap(({ sockets }) => [...sockets])
      .map((socket) => new Promise((resolve) => socket.on('close', resolve))),
  )
  client.close()
  await waiting
  await expect(askAny(client)).rejects.toMatchObject({ name: 'KafkaUnavailable' })
})
