// JDBC by Avatica's protocol over HTTP: authentication, and the format of errors.
import { gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { avaticaOfTest } from '../../test/support/avatica-parts.ts'
import { keys, testServer } from '../../test/support/http-server.ts'
import { requestMessages, responseMessages, WireMessage } from '../avatica/protobuf/message-fields.ts'
import { decodeMessage, encodeMessage, type MessageValues } from '../lib/protobuf/wire.ts'

const { avatica, sql } = avaticaOfTest({ connections: 100, ownConnections: 100 })
const { app } = await testServer(
  { avatica },
  { TIDEMARK_ACCESS_CONSUMPTION: 'key', TIDEMARK_LIMITS_QUERY_BODY_BYTES: '5000' },
)

const path = '/druid/v2/sql/avatica/'
const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` })

function sent(payload: InjectOptions['payload'], headers = {}, url = path): InjectOptions {
  return {
    method: 'POST',
    url,
    payload,
    headers: { host: 'localhost', 'content-type': 'application/octet-stream', ...headers },
  }
}

async function ask(body: object, headers = {}, url = path) {
  const { statusCode, headers: answered, payload } = await app.inject(sent(JSON.stringify(body), headers, url))
  return { status: statusCode, type: answered['content-type'], body: JSON.parse(payload) }
}

const opening = (connectionId: string, info: object = {}) => ({ request: 'openConnection', connectionId, info })
const statement = (connectionId: string) => ({ request: 'createStatement', connectionId })

describe('the key', () => {
  test.each<[string, object, Record<string, string>]>([
    ['as the password of the connection', { user: 'any', password: keys.reader }, {}],
    ["by the driver's own name", { avatica_user: 'any', avatica_password: keys.reader }, {}],
    ['as the password of Basic authentication', {}, basic(keys.reader)],
    ['as Bearer', {}, { authorization: `Bearer ${keys.reader}` }],
    ['as X-API-Key', {}, { 'x-api-key': keys.reader }],
    ['in a header, whatever the connection says', { password: 'other' }, { 'x-api-key': keys.reader }],
  ])('%s', async (name, info, headers) => {
    expect(await ask(opening(name, info), headers)).toMatchObject({ status: 200, body: { response: 'openConnection' } })
    expect(await ask(statement(name), headers)).toMatchObject({ status: 200, body: { statementId: 1 } })
    expect(sql.readers.every((id) => id === 'subscriber 2')).toBe(true)
  })

  test.each<[string, object, Record<string, string>]>([
    ['none', {}, {}],
    ['one that is not known', { password: 'other' }, {}],
    ['one that has no right to it', { password: keys.pusher }, {}],
    ['one that is not known in a header', { password: keys.reader }, { 'x-api-key': 'other' }],
  ])('%s is refused with an error that drivers show', async (name, info, headers) => {
    expect(await ask(opening(name, info), headers)).toMatchObject({
      status: 500,
      type: 'application/json',
      body: { response: 'error', errorCode: 2, sqlState: '28000', severity: 'ERROR' },
    })
  })

  test('of another subscriber cannot use this connection', async () => {
    await ask(opening('mine'), { 'x-api-key': keys.reader })
    expect(await ask(statement('mine'), { 'x-api-key': keys.admin })).toMatchObject({
      status: 500,
      body: { errorCode: 1, sqlState: '08003' },
    })
  })
})

test('a query returns all its frames, and a syntax error is reported', async () => {
  const headers = { 'x-api-key': keys.reader }
  const connectionId = 'query'
  await ask(opening(connectionId), headers)
  await ask(statement(connectionId), headers)
  const execute = { request: 'prepareAndExecute', connectionId, statementId: 1, sql: 'SELECT 5', maxRowsTotal: -1 }
  const { body } = await ask(execute, headers, '/druid/v2/sql/avatica')
  expect(body.resultSets[0]).toMatchObject({ firstFrame: { offset: 0, done: false }, updateCount: -1 })
  expect(body.resultSets[0].firstFrame.rows[1]).toEqual([1, 'row 1', 1767225600001, 1.5, false])
  const fetch = { request: 'fetch', connectionId, statementId: 1, offset: 4, fetchMaxRowCount: 100 }
  expect((await ask(fetch, headers)).body).toMatchObject({ response: 'fetch', frame: { offset: 4, done: true } })
  expect((await ask({ ...execute, sql: 'nonsense' }, headers)).body).toMatchObject({
    errorMessage: 'a query begins with SELECT (line 1, column 1)',
    errorCode: -1,
    sqlState: '42000',
  })
})

test('a query returns all its frames in protobuf, and errors are reported', async () => {
  const url = '/druid/v2/sql/avatica-protobuf/'
  const headers = { 'x-api-key': keys.reader }
  const asked = async (request: string, fields: MessageValues) => {
    const [name, { message }] = [...requestMessages].find(([, described]) => described.request === request)!
    const payload = Buffer.from(encodeMessage({ name, wrapped: encodeMessage(fields, message) }, WireMessage))
    const { statusCode, headers: answered, rawPayload } = await app.inject(sent(payload, headers, url))
    const { name: said, wrapped } = decodeMessage(rawPayload, WireMessage)
    const described = [...responseMessages.values()].find((one) => one.name === said)!
    expect(answered['content-type']).toBe('application/x-google-protobuf')
    return { status: statusCode, said, fields: decodeMessage(wrapped as Uint8Array, described.message) }
  }
  expect(await asked('openConnection', { connectionId: 'proto' })).toMatchObject({ status: 200 })
  expect(await asked('createStatement', { connectionId: 'proto' })).toMatchObject({ fields: { statementId: 1 } })
  const execute = { connectionId: 'proto', statementId: 1, sql: 'SELECT 5', maxRowsTotal: -1 }
  expect((await asked('prepareAndExecute', execute)).said).toMatch(/ExecuteResponse$/)
  expect(await asked('fetch', { connectionId: 'proto', statementId: 1, offset: 4 })).toMatchObject({
    fields: { frame: { done: true } },
  })
  expect(await asked('commit', { connectionId: 'none' })).toMatchObject({
    status: 500,
    fields: { errorCode: 1, errorMessage: expect.stringContaining('There is no connection') },
  })
  const { statusCode, rawPayload } = await app.inject(sent('nonsense', headers, url))
  expect(statusCode).toBe(400)
  expect(decodeMessage(rawPayload, WireMessage)['name']).toMatch(/ErrorResponse$/)
})

describe('a body of more than 8 KiB', () => {
  const connectionId = 'large'
  const long = `SELECT 5 -- ${'x'.repeat(10_000)}`
  const execute = (connection: string) => ({
    request: 'prepareAndExecute',
    connectionId: connection,
    statementId: 1,
    sql: long,
    maxRowsTotal: -1,
  })
  const json = (connection: string, headers = {}) => sent(JSON.stringify(execute(connection)), headers)
  const gzip = (headers = {}) =>
    sent(gzipSync(JSON.stringify(execute(connectionId))), { 'content-encoding': 'gzip', ...headers })
  const { request, ...fields } = execute(connectionId)
  const [name, { message }] = [...requestMessages].find(([, described]) => described.request === request)!
  const wrapped = encodeMessage(fields, message)
  const protobuf = (id: string) =>
    sent(
      Buffer.from(
        encodeMessage({ name, wrapped: encodeMessage({ ...fields, connectionId: id }, message) }, WireMessage),
      ),
      {},
      '/druid/v2/sql/avatica-protobuf/',
    )
  expect(wrapped.length).toBeGreaterThan(8192)

  test.each<[string, () => InjectOptions, number, string]>([
    ['with a key in a header', () => json('none', { 'x-api-key': keys.reader }), 500, 'There is no connection'],
    ['with an unknown key', () => json(connectionId, { 'x-api-key': 'guess' }), 500, 'The API key is unknown'],
    ['on an open connection', () => json(connectionId), 200, '"executeResults"'],
    ['on an open connection, in protobuf', () => protobuf(connectionId), 200, 'row 3'],
    ['on an unknown connection', () => json('none'), 500, '"errorCode":1'],
    ['on an unknown connection, in protobuf', () => protobuf('none'), 500, 'There is no connection'],
    ['without a connection id', () => sent(`[${'['.repeat(9000)}`), 500, 'more than 8192 bytes, decompressed'],
    ['compressed, without a key', () => gzip(), 500, 'more than 8192 bytes, decompressed'],
    [
      'compressed to more than 8 KiB, without a key',
      () => sent('x'.repeat(8193), { 'content-encoding': 'gzip' }),
      500,
      'more than 8192',
    ],
    ['compressed, with a key in a header', () => gzip({ 'x-api-key': keys.reader }), 200, '"executeResults"'],
  ])('%s', async (_name, asked, status, said) => {
    const server = await testServer(
      { avatica: avaticaOfTest({ heldBytes: 100_000 }).avatica },
      { TIDEMARK_ACCESS_CONSUMPTION: 'key' },
    )
    await server.app.inject(sent(JSON.stringify(opening(connectionId, { password: keys.reader }))))
    await server.app.inject(sent(JSON.stringify(statement(connectionId))))
    const { statusCode, payload } = await server.app.inject(asked())
    expect([statusCode, payload]).toEqual([status, expect.stringContaining(said)])
  })
})

test.each<[string, InjectOptions, number, string]>([
  ['nesting over the limit', sent(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`), 400, 'nested deeper than 64 levels'],
  [
    'many brackets within a string',
    sent(JSON.stringify({ request: `"\\${'['.repeat(99)}` })),
    400,
    'connectionId is not a string',
  ],
  ['an object that is not a request', sent('{}'), 400, 'not a request'],
  ['a body over the limit', sent('x'.repeat(5001)), 413, 'limits.queryBodyBytes'],
  ['another media type', sent('{}', { 'content-type': 'image/png' }), 415, 'Content-Type'],
  ['an empty body', sent(''), 400, 'empty'],
])('refuses %s', async (_name, request, status, message) => {
  const { statusCode, payload } = await app.inject(request)
  expect(statusCode).toBe(status)
  expect(JSON.parse(payload)).toMatchObject({ response: 'error', errorMessage: expect.stringContaining(message) })
})

test.each<unknown>([{ toString: 1 }, [5], {}])(
  'a connection property of %j is refused as an error of the client',
  async (timeout) => {
    const { app: other, events } = await testServer({ avatica })
    const { statusCode, payload } = await other.inject(sent(JSON.stringify(opening('faulty', { timeout }))))
    expect(statusCode).toBe(400)
    expect(JSON.parse(payload).errorMessage).toContain('info.timeout is not a string, a number')
    expect(events.map(({ kind }) => kind)).not.toContain('requestFailed')
  },
)

test.each<[string, object]>([
  ['connectionId', opening('x'.repeat(1025))],
  ['info.password', opening('long', { password: 'x'.repeat(1025) })],
  ['connProps.catalog', { request: 'connectionSync', connectionId: 'c', connProps: { catalog: 'x'.repeat(1025) } }],
  ['connProps.schema', { request: 'connectionSync', connectionId: 'c', connProps: { schema: 'x'.repeat(1025) } }],
])('%s of more than 1,024 characters is refused', async (name, body) => {
  const { statusCode, payload } = await app.inject(sent(JSON.stringify(body)))
  expect(statusCode).toBe(400)
  expect(JSON.parse(payload).errorMessage).toContain(`${name} has 1025 characters, but at most 1024 are allowed`)
})

test('a failure of the service gets a 500 and is reported as an event', async () => {
  const failing = {
    answer: () => Promise.reject(new Error('broken')),
    requireOwn: () => undefined,
    closeIdle: () => undefined,
    close: () => undefined,
  }
  const { app: other, events } = await testServer({ avatica: failing })
  const { statusCode, payload } = await other.inject(sent(JSON.stringify(statement('x'))))
  expect(statusCode).toBe(500)
  expect(JSON.parse(payload)).toMatchObject({
    response: 'error',
    errorMessage: expect.stringContaining('its log says why'),
  })
  expect(events.map(({ kind }) => kind)).toContain('requestFailed')
})
