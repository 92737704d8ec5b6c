// The paths of Apache Druid: authentication, and the format of errors.
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { get } from '../../test/support/injected-requests.ts'

const { app } = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })

describe('a key as the password of Basic authentication', () => {
  test.each<[string, Record<string, string>, number]>([
    ['any user', basic(`admin:${keys.reader}`), 200],
    ['no user', basic(`:${keys.reader}`), 200],
    [
      'in any case, with more spaces',
      { authorization: basic(`a:${keys.reader}`).authorization.replace('Basic', 'bASIC  ') },
      200,
    ],
    ['as Bearer', { authorization: `Bearer ${keys.reader}` }, 200],
    ['as X-API-Key', { 'x-api-key': keys.reader }, 200],
    ['with the same X-API-Key', { ...basic(`a:${keys.reader}`), 'x-api-key': keys.reader }, 200],
    ['with another X-API-Key', { ...basic(`a:${keys.reader}`), 'x-api-key': keys.admin }, 403],
    ['a key that has no right to it', basic(`a:${keys.pusher}`), 403],
    ['as the user', basic(`${keys.reader}:`), 403],
    ['without a colon', basic(keys.reader), 403],
    ['no Base64', { authorization: `Basic a:${keys.reader}` }, 403],
    ['none', {}, 403],
  ])('%s', async (_name, headers, status) => {
    const { statusCode } = await app.inject(get('/druid/v2/datasources', headers))
    expect(statusCode).toBe(status)
  })

  test.each<[string, string]>([
    ['GET', '/subscription'],
    ['GET', '/admin/ingests'],
    ['POST', '/admin/subscribers/meter/keys'],
  ])('is not taken by %s %s', async (method, url) => {
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
])('what no route takes is told in the form of Druid: %s %s', async (method, url, status, code) => {
  const response = await app.inject({ ...get(url), method: method as 'GET' })
  expect([response.statusCode, response.headers['content-type']]).toEqual([status, 'application/json'])
  expect(response.json()).toMatchObject({ error: 'druidException', context: { code } })
})

test('elsewhere it is a problem', async () => {
  const { headers } = await app.inject(get('/consumer/%ff'))
  expect(headers['content-type']).toBe('application/problem+json')
})

test('who shows no key is told of all ways, in the form of Druid', async () => {
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
  ['the data sources of a reader', get('/druid/v2/datasources', basic(`a:${keys.reader}`)), 200, ['plant']],
  ['those of an operator', get('/druid/v2/datasources', basic(`a:${keys.admin}`)), 200, ['plant', 'secret']],
  ['with a slash at its end', get('/druid/v2/datasources/', basic(`a:${keys.reader}`)), 200, ['plant']],
  [
    'the columns of one',
    get('/druid/v2/datasources/plant?full', basic(`a:${keys.reader}`)),
    200,
    { dimensions: ['T', 'unit'], metrics: ['V'] },
  ],
  ['those of one that may not be read', get('/druid/v2/datasources/secret', basic(`a:${keys.reader}`)), 404, null],
  ['those of none', get('/druid/v2/datasources/none', basic(`a:${keys.admin}`)), 404, null],
  ['the status', get('/status', basic(`a:${keys.reader}`)), 200, { version: '33.0.0', modules: [], memory: {} }],
  ['the status, without a key', get('/status'), 403, null],
  ['health', get('/status/health'), 200, true],
])('%s', async (_name, request, status, answer) => {
  const response = await app.inject(request)
  expect(response.statusCode).toBe(status)
  if (answer !== null) expect(response.json()).toEqual(answer)
})
