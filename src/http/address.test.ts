// A query sent as a GET address is the same as the query sent as a body, for every query and whatever its schema contains.
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { keys, type TestServer, testServer } from '../../test/support/http-server.ts'
import { plainAnswer } from '../../test/support/in-process.ts'
import { get, local, outcomeOn, post, select } from '../../test/support/injected-requests.ts'
import { queryAddress } from '../client/query-address.ts'
import { SqlQueryRequest } from '../druid-sql/request.ts'
import { queryRequests } from '../query/requests.ts'
import { addressOf } from './address.ts'

/** A server that responds to every query with the query as it was received. */
function echo(environment: Record<string, string> = {}): Promise<TestServer> {
  const told = async (question: object) => plainAnswer(Buffer.from(JSON.stringify(question)))
  return testServer({ queries: { run: told }, sqlQueries: { run: told } }, environment)
}

const { app, events } = await echo()
const closed = await echo({ TIDEMARK_ACCESS_CONSUMPTION: 'key' })
const bodies = Object.entries({ ...queryRequests, 'sql-query': SqlQueryRequest })

/** Characters with a meaning in addresses and lists, and some of several bytes. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom(',', '\\', '+', '%', '&', '=', '#', '?', ' ', ';', '"', '/', 'a', 'é', '€', '𝄞'),
    maxLength: 6,
  }),
  fc.constantFrom(
    '',
    'null',
    'true',
    '0',
    '%2C',
    '\\,',
    ',\\',
    '\u0000',
    '2026-01-01T00:00+02:00',
    'PT5M',
    '__proto__',
  ),
)

/** Values that a property accepts, and some that it does not. */
function valueFor(schema: object): fc.Arbitrary<unknown> {
  const types: unknown[] = [Reflect.get(schema, 'type')].flat()
  if (types.includes('array')) return fc.array(text, { maxLength: 5, minLength: 1 })
  if (types.includes('integer')) return fc.oneof(fc.nat(), fc.constantFrom(-1, 2 ** 53 - 1))
  if (types.includes('number')) return fc.double({ noDefaultInfinity: true, noNaN: true }).map((value) => value + 0)
  return types.includes('boolean') ? fc.boolean() : text
}

describe.each(bodies)('%s', (kind, { properties }) => {
  const request = fc.record(
    Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valueFor(schema)])),
    { requiredKeys: [] },
  )
  const url = `/consumer/data/${kind}`

  test('random requests get the same answer as GET and as POST', async () => {
    await fc.assert(
      fc.asyncProperty(request, async (asked) => {
        const byBody = await outcomeOn(app, post(url, asked))
        const byAddress = await outcomeOn(app, get(`${url}?${queryAddress(asked)}`))
        expect([byAddress.status, byAddress.code]).toEqual([byBody.status, byBody.code])
        if (byBody.status === 200) expect(byAddress.response.body).toBe(byBody.response.body)
        else
          expect(byAddress.response.json<{ errors: unknown }>().errors).toEqual(
            byBody.response.json<{ errors: unknown }>().errors,
          )
        expect(byAddress.response.headers['cache-control']).toBe('no-store')
      }),
      { numRuns: 60 },
    )
  })

  test.each(['json', 'csv', 'ndjson', 'arrow'])('format=%s overrides Accept', async (format) => {
    const asked =
      kind === 'sql-query' ? { sql_query: 'SELECT 1' } : { entity: 'plant', date: 'PT1H', aggregates: ['count'] }
    const known = Object.fromEntries(Object.entries(asked).filter(([name]) => name in properties))
    const address = `${url}?${queryAddress({ ...known, format })}`
    const { response, status } = await outcomeOn(app, get(address, { accept: 'text/html' }))
    expect([status, response.json<{ format: string }>().format]).toEqual([200, format])
  })
})

const asked = (address: string, headers = {}): InjectOptions => get(`${select}?${address}`, headers)

describe('lists', () => {
  test.each<[string, unknown]>([
    ['ids=a,b', ['a', 'b']],
    ['ids=a&ids=b,c', ['a', 'b', 'c']],
    ['ids=a%2Cb', ['a', 'b']],
    ['ids=a%5C,b', ['a,b']],
    ['ids=a+b', ['a b']],
    ['ids=a%2Bb', ['a+b']],
    ['ids=100%25', ['100%']],
    ['ids=', ['']],
    ['ids', ['']],
    ['', undefined],
    ['&&', undefined],
  ])('%s', async (address, ids) => {
    const { response } = await outcomeOn(app, asked(`entity=plant&${address}`))
    expect(response.json<{ request: { ids?: unknown } }>().request.ids).toEqual(ids)
  })

  test('more than a thousand parameters are all read', async () => {
    const { response } = await outcomeOn(app, asked(`entity=plant${'&ids=a'.repeat(1500)}`))
    expect(response.json<{ request: { ids: string[] } }>().request.ids).toHaveLength(1500)
  })
})

describe('a refused GET query', () => {
  const names = 'entity, id_name_field, ids, prefixes, quality, start_date, end_date, metric_name_field, fields, format'
  test.each<[string, string, string]>([
    ['', 'entity', 'is required'],
    ['entity=plant&id=a', 'id', `is not a query parameter of this request; allowed: ${names}`],
    ['entity=plant&__proto__=a', '__proto__', `is not a query parameter of this request; allowed: ${names}`],
    ['entity=plant&entity=plant', 'entity', 'is given twice: give it once'],
    ['entity=plant&start_date=a&start_date=b&start_date=c', 'start_date', 'is given 3 times: give it once'],
    ['entity=plant&format=xml', 'format', 'must be json or csv or ndjson or arrow'],
    ['entity=plant&format=json&format=csv', 'format', 'is given twice: give it once'],
    ['entity=plant&ids=50%', 'ids=50%', 'is not percent-encoded UTF-8. Write %25 for a % sign'],
    ['entity=plant&ids=%ff', 'ids=%ff', 'is not percent-encoded UTF-8. Write %25 for a % sign'],
  ])('%s', async (address, path, message) => {
    const { status, response } = await outcomeOn(app, asked(address))
    expect(status).toBe(400)
    expect(response.json()).toMatchObject({ code: 'invalid_request', errors: [{ path, message }] })
  })

  test.each(['three', '03', '1.5', '-1', '1e400', ''])('has an offset of %j', async (offset) => {
    const address = `/consumer/data/last?entity=plant&date=PT1H&offset=${offset}`
    const { status, response } = await outcomeOn(app, get(address))
    expect([status, response.json<{ errors: { path: string }[] }>().errors[0]!.path]).toEqual([400, 'offset'])
  })

  test('has a body, which would be ignored', async () => {
    const { status, code } = await outcomeOn(app, { ...asked('entity=plant'), payload: { ids: ['a'] } })
    expect([status, code]).toEqual([400, 'invalid_request'])
  })

  test('has an Accept header without a supported type', async () => {
    expect((await outcomeOn(app, asked('entity=plant', { accept: 'text/html' }))).status).toBe(406)
  })
})

describe('an API key', () => {
  const paths = [select, '/consumer/data/sql-query', '/consumer/data/entities', '/consumer/data/entities/plant/tags']
  const words = ['key', 'api_key', 'apikey', 'X-API-Key', 'token', 'access_token', 'authorization', 'password']

  test.each(paths.flatMap((path) => words.map((word) => [`${path}?${word}`])))(
    'in %s= is refused, and appears in no answer or event',
    async (address) => {
      for (const server of [app, closed.app]) {
        const { status, response } = await outcomeOn(server, get(`${address}=${keys.reader}`))
        expect([status, response.json<{ detail: string }>().detail]).toEqual([
          400,
          expect.stringMatching(/^\S+ is not accepted: .* Send the key as "Authorization: Bearer <key>"/),
        ])
        expect(response.body).not.toContain(keys.reader)
      }
      expect(JSON.stringify([events, closed.events])).not.toContain(keys.reader)
    },
  )

  const basic = (key: string, user = 'anyone') => ({
    authorization: `Basic ${Buffer.from(`${user}:${key}`).toString('base64')}`,
  })
  test.each<[string, InjectOptions, number]>([
    ['as the password', get(`${select}?entity=plant`, basic(keys.reader)), 200],
    ['as the password, without a user', get(`${select}?entity=plant`, basic(keys.reader, '')), 200],
    ['for a query by POST', post(select, { entity: 'plant' }, basic(keys.reader)), 200],
    ['for metadata', get('/consumer/metadata/t', basic(keys.reader)), 200],
    ['that is unknown', get(`${select}?entity=plant`, basic('guess')), 403],
    ['as the user', get(`${select}?entity=plant`, basic('', keys.reader)), 403],
    ['for a push', post('/ingests/plant/data', '[]', basic(keys.pusher)), 200],
    ['for a push to /ingest', post('/ingest/plant/data', '[]', basic(keys.pusher)), 200],
    ['for the rejected rows of the caller', get('/ingests/plant/rejected', basic(keys.pusher)), 200],
    ['for an admin endpoint', get('/admin/ingests', basic(keys.admin)), 403],
    ['for metrics', get('/metrics', basic(keys.admin)), 403],
    ['for the subscription of the caller', get('/subscription', basic(keys.reader)), 403],
  ])('%s, in Basic authentication', async (_, request, status) => {
    expect((await outcomeOn(closed.app, request)).status).toBe(status)
  })
})

describe('a URL of 64 KiB', () => {
  const ids = Array.from({ length: 8192 }, (_, index) => `tag.${String(index).padStart(4, '0')}`.slice(-7))
  const length = async (environment: Record<string, string>) => {
    const server = await echo(environment)
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
    const response = await fetch(`${url}${select}?${queryAddress({ entity: 'plant', ids })}`)
    const body = (await response.json()) as { readonly request?: { readonly ids: readonly string[] } }
    await server.app.close()
    return [response.status, body.request?.ids.length]
  }
  test('is too long by default', async () => expect(await length({})).toEqual([431, undefined]))
  test('is accepted with a larger server.headerBytes', async () =>
    expect(await length({ TIDEMARK_SERVER_HEADER_BYTES: '100000' })).toEqual([200, 8192]))
})

test('a page of another origin is refused, and HEAD returns the Content-Length of GET', async () => {
  const page = asked('entity=plant', { ...local, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' })
  expect((await outcomeOn(app, page)).status).toBe(403)
  const head = await app.inject({ ...asked('entity=plant'), method: 'HEAD' })
  const whole = await app.inject(asked('entity=plant'))
  expect([head.statusCode, head.body, head.headers['content-length']]).toEqual([
    200,
    '',
    whole.headers['content-length'],
  ])
})

test('a property that no query parameter can represent is refused at startup', () => {
  expect(() => addressOf({ properties: { query: { type: 'object' } } })).toThrow(
    'no address can hold the property query',
  )
})

test('nullable lists and numbers become parameters of their type', () => {
  const { querystring } = addressOf({
    required: ['a'],
    properties: {
      a: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
      b: { type: ['number', 'null'], description: 'How much. `null` counts as left out.' },
    },
  })
  expect(querystring).toMatchObject({
    required: ['a'],
    properties: { a: { anyOf: [{ type: 'array' }] }, b: { type: 'number', description: 'How much.' } },
  })
})
