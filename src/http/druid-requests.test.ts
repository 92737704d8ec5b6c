// The paths of Apache Druid: authentication, and the format of errors.
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { get } from '../../test/support/injected-requests.ts'

const { app } = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })

describe('API keys on the paths of Druid', () => {
  test.each<[string, Record<string, string>, number]>([
    ['the password of Basic authentication, with any user', basic(`admin:${keys.reader}`), 200],
    ['the password of Basic authentication, without a user', basic(`:${keys.reader}`), 200],
    [
      'Basic in any case, with more spaces',
      { authorization: basic(`a:${keys.reader}`).authorization.replace('Basic', 'bASIC  ') },
      200,
    ],
    ['Bearer', { authorization: `Bearer ${keys.reader}` }, 200],
    ['X-API-Key', { 'x-api-key': keys.reader }, 200],
    ['Basic with the same key as X-API-Key', { ...basic(`a:${keys.reader}`), 'x-api-key': keys.reader }, 200],
    ['Basic with another key as X-API-Key', { ...basic(`a:${keys.reader}`), 'x-api-key': keys.admin }, 403],
    ['a key without the right to query', basic(`a:${keys.pusher}`), 403],
    ['the key as the user', basic(`${keys.reader}:`), 403],
    ['Basic without a colon', basic(keys.reader), 403],
    ['Basic that is not Base64', { authorization: `Basic a:${keys.reader}` }, 403],
    ['no key', {}, 403],
  ])('%s', async (_name, headers, status) => {
    const { statusCode } = await app.inject(get('/druid/v2/datasources', headers))
    expect(statusCode).toBe(status)
  })

  test.each<[string, string]>([
    ['GET', '/subscription'],
    ['GET', '/admin/ingests'],
    ['POST', '/admin/subscribers/meter/keys'],
  ])('Basic authentication is not accepted by %s %s', async (method, url) => {
    for (const key of Object.values(keys)) {
      const { statusCode, headers } = await app.inject({ ...get(url, basic(`a:${key}`)), method: method as 'GET' })
      expect(statusCode).toBe(403)
      expect(headers).not.toHaveProperty('www-authenticate')
    }
  })
})

test.each<[string, string, number, string]>([
  ['GET', '/druid/v2/datasources/%ff', 400, 'malformed_http'],
  ['DELETE', '/druid/v2/sql/%zz', 400, 'malformed_http'],
  ['GET', `/druid/v2/datasources/${'x'.repeat(20_000)}`, 404, 'path_not_found'],
  ['GET', '/druid/v2/nothing/at/all', 404, 'path_not_found'],
  ['PUT', '/druid/v2/sql', 405, 'method_not_allowed'],
])('a request that no route accepts gets an error in the format of Druid: %s %s', async (method, url, status, code) => {
  const response = await app.inject({ ...get(url), method: method as 'GET' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'application/json'])
  expect(response.json()).toMatchObject({ error: 'druidException', context: { code } })
})

test('a malformed path elsewhere gets a Problem', async () => {
  const { headers } = await app.inject(get('/consumer/%ff'))
  expect(headers['content-type']).toBe('application/problem+json')
})

test('a request without a key gets an error in the format of Druid, with a Basic challenge', async () => {
  const response = await app.inject(get('/druid/v2/datasources'))
  expect(response.headers).toMatchObject({
    'content-type': 'application/json',
    'www-authenticate': 'Basic realm="tidemark", charset="UTF-8"',
  })
  expect(response.json()).toEqual({
    error: 'druidException',
    errorCode: 'forbidden',
    persona: 'USER',
    category: 'FORBIDDEN',
    errorMessage: expect.any(String),
    context: { code: 'forbidden' },
  })
})

test.each<[string, InjectOptions, number, unknown]>([
  ['the data sources that a reader may read', get('/druid/v2/datasources', basic(`a:${keys.reader}`)), 200, ['plant']],
  [
    'the data sources of an admin key',
    get('/druid/v2/datasources', basic(`a:${keys.admin}`)),
    200,
    ['plant', 'secret'],
  ],
  ['the data sources, with a trailing slash', get('/druid/v2/datasources/', basic(`a:${keys.reader}`)), 200, ['plant']],
  [
    'the columns of a data source',
    get('/druid/v2/datasources/plant?full', basic(`a:${keys.reader}`)),
    200,
    { dimensions: ['T', 'unit'], metrics: ['V'] },
  ],
  [
    'the columns of a data source that the key may not read',
    get('/druid/v2/datasources/secret', basic(`a:${keys.reader}`)),
    404,
    null,
  ],
  ['the columns of an unknown data source', get('/druid/v2/datasources/none', basic(`a:${keys.admin}`)), 404, null],
  ['the status', get('/status', basic(`a:${keys.reader}`)), 200, { version: '33.0.0', modules: [], memory: {} }],
  ['the status, without a key', get('/status'), 403, null],
  ['the health', get('/status/health'), 200, true],
])('%s', async (_name, request, status, answer) => {
  const response = await app.inject(request)
  expect(response.statusCode).toBe(status)
  if (answer !== null) expect(response.json()).toEqual(answer)
})
