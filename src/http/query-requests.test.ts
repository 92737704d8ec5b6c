// Queries, with a key and without, through the whole server except its sockets.
import { gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { admin, get, local, outcomeOn, post, pusher, select } from '../../test/support/injected-requests.ts'

const { app } = await testServer()
const outcome = (request: InjectOptions, server = app) => outcomeOn(server, request)

describe('queries', () => {
  const json = { 'content-type': 'application/json' }
  test.each<[string, InjectOptions, number, string | null]>([
    ['a valid query', post(select, { entity: 'plant' }), 200, null],
    ['a gzip body', post(select, gzipSync('{"entity":"plant"}'), { ...json, 'content-encoding': 'gzip' }), 200, null],
    ['no Content-Type', post(select, '{"entity":"plant"}'), 200, null],
    ['a null property, which counts as left out', post(select, { entity: 'plant', ids: null }), 200, null],
    ['an unknown entity', post(select, { entity: 'other' }), 400, 'unknown_entity'],
    [
      'a form',
      post(select, 'entity=plant', { 'content-type': 'application/x-www-form-urlencoded' }),
      415,
      'unsupported_media_type',
    ],
    ['an empty body', post(select, '', json), 400, 'invalid_body'],
    ['a body that is not JSON', post(select, '{entity}', json), 400, 'invalid_json'],
    ['a body that is not UTF-8', post(select, Buffer.from([0x22, 0xff, 0x22]), json), 400, 'invalid_json'],
    ['a byte order mark before the body', post(select, '\ufeff{"entity":"plant"}', json), 200, null],
    ['the body null', post(select, 'null', json), 400, 'invalid_request'],
    ['an array', post(select, '[]', json), 400, 'invalid_request'],
    ['deep nesting that is never closed', post(select, '['.repeat(100_000), json), 400, 'invalid_json'],
    [
      'deep nesting in valid JSON',
      post(select, `{"ids":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, json),
      400,
      'invalid_request',
    ],
    ['Accept of another type only', post(select, { entity: 'plant' }, { accept: 'text/html' }), 406, 'not_acceptable'],
    ['Accept with any type', post(select, { entity: 'plant' }, { accept: 'text/html, */*;q=0.1' }), 200, null],
    [
      'Accept that excludes JSON',
      post(select, { entity: 'plant' }, { accept: 'application/json;q=0, application/*;q=0' }),
      406,
      'not_acceptable',
    ],
    ['entities with an unknown parameter', get('/consumer/data/entities?x=1'), 400, 'invalid_request'],
    ['entities with format=json', get('/consumer/data/entities?format=json', { accept: 'text/html' }), 200, null],
    ['entities with a format that they do not have', get('/consumer/data/entities?format=csv'), 406, 'not_acceptable'],
    ['entities with an unknown format', get('/consumer/data/entities?format=xls'), 400, 'invalid_request'],
    ['entities with Accept of CSV', get('/consumer/data/entities', { accept: 'text/csv' }), 406, 'not_acceptable'],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  const properties = 'entity, id_name_field, ids, prefixes, quality, start_date, end_date, metric_name_field, fields'
  test.each<[string, { path: string; message: string }[]]>([
    ['{}', [{ path: 'entity', message: 'is required' }]],
    ['[]', [{ path: '', message: 'must be a JSON object' }]],
    ['{"entity":1}', [{ path: 'entity', message: 'must be a string' }]],
    ['{"entity":"plant","ids":"a"}', [{ path: 'ids', message: 'must be a list' }]],
    ['{"entity":"plant","ids":["a",1]}', [{ path: 'ids[1]', message: 'must be a string' }]],
    [
      '{"entity":"plant","entty":1}',
      [{ path: 'entty', message: `is not a property of this request; allowed: ${properties}` }],
    ],
    [
      '{"entity":"plant","__proto__":{"x":1}}',
      [{ path: '__proto__', message: `is not a property of this request; allowed: ${properties}` }],
    ],
  ])('%s', async (body, errors) => {
    const { response } = await outcome(post(select, body, json))
    expect(response.json()).toMatchObject({ code: 'invalid_request', errors })
  })

  test('an invalid value after very many valid ones is reported with its path', async () => {
    const good = new Array(30_000).fill('a')
    const { response } = await outcome(post(select, { entity: 'plant', ids: [...good, 1] }))
    expect(response.json<{ errors: unknown[] }>().errors).toEqual([{ path: 'ids[30000]', message: 'must be a string' }])
  })

  test('a list of very many invalid values is reported with few errors', async () => {
    const { response } = await outcome(post(select, { entity: 'plant', ids: new Array(100_000).fill(1) }))
    expect(response.json<{ errors: unknown[] }>().errors.length).toBeLessThan(50)
  })
})

describe('access to /consumer', () => {
  const request = (headers: Record<string, string>): InjectOptions => ({
    method: 'GET',
    url: '/consumer/data/entities',
    headers,
  })
  const query = (entity: string, headers: Record<string, string>): InjectOptions => ({
    method: 'POST',
    url: select,
    payload: { entity },
    headers,
  })
  test.each<[Record<string, string>, number]>([
    [{ host: 'localhost' }, 200],
    [{ host: 'LOCALHOST:1' }, 200],
    [{ host: '127.0.0.1:8080' }, 200],
    [{ host: '192.168.0.1' }, 200],
    [{ host: '[::1]:8080' }, 200],
    [{ host: '[2001:db8::1]' }, 200],
    [{ host: 'Data.Example:8080' }, 200],
    [{ host: 'localhost.evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ host: 'evil.data.example' }, 403],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080' }, 200],
    [{ host: 'data.example', origin: 'https://data.example' }, 200],
    [{ host: 'LOCALHOST:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }, 200],
    [{ host: '[::1]:8080', origin: 'http://[::1]:8080' }, 200],
    [{ host: 'localhost', 'sec-fetch-site': 'none' }, 200],
    [{ host: 'localhost:8080', origin: 'http://localhost:3000' }, 403],
    [{ host: 'localhost:8080', origin: 'http://127.0.0.1:8080' }, 403],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080.evil.example' }, 403],
    [{ host: 'localhost:8080', origin: 'null' }, 403],
    [{ host: 'localhost:8080', origin: '' }, 403],
    [{ host: 'localhost:8080', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost', 'sec-fetch-site': 'cross-site' }, 403],
    [{ host: 'localhost', 'sec-fetch-site': 'same-site' }, 403],
    [{ host: 'localhost', 'sec-fetch-site': 'cross-site', 'x-api-key': keys.reader }, 200],
    [{ host: 'evil.example', 'x-api-key': keys.reader }, 200],
    [{ host: 'a b' }, 400],
  ])('with public reading, the headers %j get %i', async (headers, status) => {
    const { app: server } = await testServer({}, { TIDEMARK_SERVER_HOSTS: 'data.example' })
    expect((await server.inject(request(headers))).statusCode).toBe(status)
  })

  test.each([
    [{ host: 'evil.example' }, 'server.hosts, but the Host is "evil.example". This request needs an API key'],
    [{ host: 'localhost', origin: 'http://evil.example' }, 'cors.origins lists the allowed ones. This request'],
    [{ host: 'evil.example', 'x-api-key': 'guess' }, 'The API key is unknown'],
  ])('a refusal of the headers %j gives the reason', async (headers, detail) => {
    const { statusCode, body } = await app.inject(request(headers as unknown as Record<string, string>))
    expect([statusCode, JSON.parse(body).detail]).toEqual([403, expect.stringContaining(detail)])
  })

  test.each([
    ['https://localhost:8080', '', 200],
    ['http://localhost:8080', '', 200],
    ['https://localhost:8080', '/own.pem', 200],
    ['http://localhost:8080', '/own.pem', 403],
  ])('a page of %s, with server.tlsCertFile "%s", gets %i', async (origin, file, status) => {
    const { app: server } = await testServer({}, { TIDEMARK_SERVER_TLS_CERT_FILE: file })
    expect((await server.inject(request({ host: 'localhost:8080', origin }))).statusCode).toBe(status)
  })

  const page = { host: 'localhost', 'sec-fetch-site': 'cross-site' }
  test.each<[string, Record<string, string>, number]>([
    ['https://portal.example', { ...page, origin: 'https://portal.example' }, 200],
    ['https://portal.example', { ...page, origin: 'https://evil.example' }, 403],
    ['https://portal.example', page, 403],
    ['*', { ...page, origin: 'https://evil.example' }, 200],
    ['*', page, 200],
  ])('with cors.origins %s, the headers %j get %i', async (origins, headers, status) => {
    const { app: server } = await testServer({}, { TIDEMARK_CORS_ORIGINS: origins })
    expect((await server.inject(request(headers))).statusCode).toBe(status)
    expect((await server.inject({ url: '/metrics', headers })).statusCode).toBe(status)
  })

  test('with access.consumption key, a key without the right is refused on every path', async () => {
    const closed = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
    await closed.app.ready()
    const { paths } = JSON.parse((await closed.app.inject({ url: '/openapi.json' })).body)
    const asked = Object.entries<object>(paths)
      .filter(([path]) => path.startsWith('/consumer/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method, path })))
    expect(asked.length).toBeGreaterThan(13)
    for (const { method, path } of asked) {
      const url = path.replace(/\{[^}]*\}/g, 'plant')
      const { statusCode, body } = await closed.app.inject({ method: method as 'GET', url, headers: pusher })
      expect([method, url, statusCode, JSON.parse(body).code]).toEqual([method, url, 403, 'forbidden'])
    }
  })

  test('with access.consumption key, a caller sees only the entities that its key may read', async () => {
    const closed = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: 'key' })
    const answers = async (headers: Record<string, string>) => {
      const names = await closed.app.inject(request(headers))
      const plant = await closed.app.inject(query('plant', headers))
      const secret = await closed.app.inject(query('secret', headers))
      const entities =
        names.statusCode === 200 ? names.json<{ entity: string }[]>().map(({ entity }) => entity) : names.statusCode
      return [entities, plant.statusCode, secret.statusCode]
    }
    expect(await answers(local)).toEqual([403, 403, 403])
    expect(await answers({ 'x-api-key': keys.reader })).toEqual([['plant'], 200, 403])
    expect(await answers({ 'x-api-key': keys.admin })).toEqual([['plant', 'secret'], 200, 400])
  })

  test('with access.consumption public, an unknown key is ignored', async () => {
    const { statusCode } = await app.inject(request({ host: '10.0.0.1', 'x-api-key': 'guess' }))
    expect(statusCode).toBe(200)
  })

  test('by default a key is required, also for local requests, which a proxy may have forwarded', async () => {
    const { app: unset } = await testServer({}, { TIDEMARK_ACCESS_CONSUMPTION: '' })
    expect((await unset.inject(request(local))).statusCode).toBe(403)
    expect((await unset.inject(get('/metrics'))).statusCode).toBe(403)
    expect((await unset.inject(get('/metrics', admin))).statusCode).toBe(200)
    expect((await unset.inject(get('/healthz'))).statusCode).toBe(200)
  })
})
