import { EventEmitter, once } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { testServer } from '../../test/support/http-server.ts'
import { admin, post, select } from '../../test/support/injected-requests.ts'
import { Problem } from '../model/problem.ts'
import { BodyBudget, type BodyShare } from './body-budget.ts'

test.each<[string, (a: BodyShare, b: BodyShare) => unknown[], unknown[]]>([
  ['bodies that fit are accepted', (a, b) => [a.resize(60), b.resize(40)], [true, true]],
  ['a body that does not fit is refused', (a, b) => [a.resize(60), b.resize(41)], [true, false]],
  ['a single body is accepted, however large', (a) => [a.resize(1000)], [true]],
  ['nothing fits next to a larger body', (a, b) => [a.resize(1000), b.resize(1)], [true, false]],
  [
    'a share keeps its size when an increase is refused',
    (a, b) => [a.resize(60), b.resize(30), b.resize(50), a.resize(71)],
    [true, true, false, false],
  ],
  ['a decrease is always accepted', (a, b) => [a.resize(1000), a.resize(90), b.resize(10)], [true, true, true]],
  [
    'an ended share is released once and for all',
    (a, b) => [a.resize(90), a.end(), a.resize(5), a.end(), b.resize(100)],
    [true, undefined, true, undefined, true],
  ],
])('%s', (_, use, expected) => {
  const budget = new BodyBudget({ bytesMax: 100, limitName: 'limits.bodiesBytes', requests: 'pushes' })
  const response = (): ServerResponse => new ServerResponse(new IncomingMessage(new Socket()))
  expect(use(budget.share(response()), budget.share(response()))).toEqual(expected)
})

test('a share ends with its response', () => {
  const budget = new BodyBudget({ bytesMax: 100, limitName: 'limits.bodiesBytes', requests: 'pushes' })
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  budget.share(response).resize(100)
  const other = budget.share(new ServerResponse(new IncomingMessage(new Socket())))
  expect(other.resize(10)).toBe(false)
  EventEmitter.prototype.emit.call(response, 'close')
  expect(other.resize(10)).toBe(true)
})

test('queries and admin requests share one budget: a body that fits to the byte is accepted, one byte more gets 503', async () => {
  const running = new EventEmitter()
  const run = async (): Promise<never> => {
    running.emit('begun')
    await once(running, 'ended')
    throw new Problem('unavailable', 'Ask again.')
  }
  const { app } = await testServer({ queries: { run } }, { TIDEMARK_LIMITS_QUERY_BODIES_BYTES: '65536' })
  const begun = once(running, 'begun')
  const first = app.inject(post(select, '{"entity":"plant"}'.padEnd(65_000), admin))
  await begun
  const subscriber = (bytes: number) => app.inject(post('/admin/subscribers', '{"name":"a"}'.padEnd(bytes), admin))
  expect((await subscriber(536)).statusCode).toBe(201)
  const refused = await subscriber(537)
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '1'])
  expect(refused.json()).toMatchObject({
    code: 'overloaded',
    detail: expect.stringContaining('65536 bytes (limits.queryBodiesBytes)'),
  })
  running.emit('ended')
  expect((await first).statusCode).toBe(503)
  expect((await subscriber(65_536)).statusCode).toBe(201)
})
