// Queries on the paths of Apache Druid: what the service is asked, what is sent, and how queries are canceled.
import { describe, expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { plainAnswer } from '../../test/support/in-process.ts'
import { post } from '../../test/support/injected-requests.ts'
import type { NamedQuery } from '../catalog/cluster-catalog.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import { Problem } from '../model/problem.ts'
import type { Services } from './services.ts'

type SqlRun = Services['sqlQueries']['run']
type NativeRun = Services['nativeQueries']['run']

async function served(environment = {}, cancelsElsewhere: Services['cancelsElsewhere'] = null) {
  const sql: Parameters<SqlRun>[] = []
  const native: Parameters<NativeRun>[] = []
  const ended = (signal: CancelSignal) =>
    new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const { app } = await testServer(
    {
      cancelsElsewhere,
      sqlQueries: {
        run: (...asked) => {
          sql.push(asked)
          return asked[0].text === 'SELECT forever' ? ended(asked[1]) : Promise.resolve(plainAnswer(Buffer.from('[]')))
        },
      },
      nativeQueries: {
        run: (...asked) => {
          native.push(asked)
          return Promise.resolve(plainAnswer(Buffer.from('[]')))
        },
      },
    },
    environment,
  )
  return { app, sql, native }
}

describe('a SQL query', () => {
  test('is run with its parameters, zone and timeout, and its id is in the headers', async () => {
    const { app, sql } = await served()
    const parameters = '[{"type":"BIGINT","value":9223372036854775807}]'
    const context = '{"sqlQueryId":"q1","timeout":50,"sqlTimeZone":"Europe/Madrid","useCache":false}'
    const body = `{"query":"SELECT ?","resultFormat":"array","header":true,"parameters":${parameters},"context":${context},"other":1}`
    const response = await app.inject(post('/druid/v2/sql/', body, { 'content-type': 'application/json' }))
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'x-druid-sql-query-id': 'q1',
      'x-druid-query-id': 'q1',
      'x-druid-sql-header-included': 'yes',
      'x-druid-response-context': '{}',
    })
    const [{ format, ...question }] = sql[0]!
    expect(question).toMatchObject({
      text: 'SELECT ?',
      parameters: [{ kind: 'number', digits: '9223372036854775807' }],
      timeoutMs: 50,
      listsFunctions: true,
      zone: { name: 'Europe/Madrid' },
    })
    expect(format).toEqual({ resultFormat: 'array', header: true, typesHeader: false, sqlTypesHeader: false })
  })

  test.each([
    ['object', 'application/json'],
    ['objectLines', 'text/plain'],
    ['arrayLines', 'text/plain'],
    ['csv', 'text/csv'],
  ])('in the result format %s has the media type %s', async (resultFormat, mediaType) => {
    const { app } = await served()
    const { headers } = await app.inject(post('/druid/v2/sql', { query: 'SELECT 1', resultFormat }))
    expect(headers['content-type']).toBe(mediaType)
    expect(headers).not.toHaveProperty('x-druid-sql-header-included')
  })

  test.each<[object, string]>([
    [{ resultFormat: 'array' }, 'query is required'],
    [{ query: 'SELECT 1', resultFormat: 'xml' }, 'resultFormat: must be one of object, array,'],
    [{ query: 'SELECT 1', typesHeader: true }, 'typesHeader: needs `header` to be true'],
    [{ query: 'SELECT 1', header: 'yes' }, 'header must be true or false'],
    [{ query: 'SELECT 1', context: { sqlTimeZone: 'Mars' } }, 'context.sqlTimeZone: is not a time zone'],
    [{ query: 'SELECT 1', context: { sqlQueryId: 'a\nb' } }, 'context.sqlQueryId: must be'],
    ...[{ toString: 1 }, ['x'], {}, false, ''].flatMap((id): [object, string][] => [
      [{ query: 'SELECT 1', context: { queryId: id } }, 'context.queryId: must be a string'],
      [{ query: 'SELECT 1', context: { sqlQueryId: id } }, 'context.sqlQueryId: must be a string'],
    ]),
    ...[-1, { valueOf: 1, toString: 2 }, [], [5], {}, true, '', ' ', 'soon'].map((timeout): [object, string] => [
      { query: 'SELECT 1', context: { timeout } },
      'context.timeout: must be a number',
    ]),
    [{ query: 'SELECT 1', parameters: [{ type: 'X', value: 1 }] }, 'parameters[0].type: must be one of'],
  ])('%j is refused in the format of Druid', async (body, message) => {
    const { app } = await served()
    const response = await app.inject(post('/druid/v2/sql', body))
    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ error: 'druidException', category: 'INVALID_INPUT' })
    expect(response.json<{ errorMessage: string }>().errorMessage).toContain(message)
  })
})

test('a native query is passed on unchanged', async () => {
  const { app, native } = await served()
  const body =
    '{ "queryType": "timeBoundary", "dataSource": "plant", "n": 9223372036854775807, "context": {"queryId": "n1"} }'
  const response = await app.inject(post('/druid/v2/', body, { 'content-type': 'application/json' }))
  expect(response.headers).toMatchObject({ 'x-druid-query-id': 'n1', 'x-druid-response-context': '{}' })
  expect(Buffer.from(native[0]![0].bytes).toString()).toBe(`{"query_type":"timeBoundary","query_data":${body}}`)
})

test.each<[object, string]>([
  [{ queryId: { toString: 1 } }, 'context.queryId: must be a string'],
  [{ timeout: { valueOf: 1, toString: 2 } }, 'context.timeout: must be a number'],
])('a native query with the context %j is refused', async (context, message) => {
  const { app } = await served()
  const response = await app.inject(post('/druid/v2', { queryType: 'timeBoundary', dataSource: 'plant', context }))
  expect(response.statusCode).toBe(400)
  expect(response.json<{ errorMessage: string }>().errorMessage).toContain(message)
})

test('a query id may be a number, and a timeout a numeric string', async () => {
  const { app, sql } = await served()
  const context = { sqlQueryId: 17, timeout: ' 50 ' }
  const { headers } = await app.inject(post('/druid/v2/sql', { query: 'SELECT 1', context }))
  expect(headers['x-druid-sql-query-id']).toBe('17')
  expect(sql[0]![0].timeoutMs).toBe(50)
})

describe('a running query', () => {
  const asked = { query: 'SELECT forever', context: { sqlQueryId: 'q 1' } }
  const key = (name: keyof typeof keys) => ({ authorization: `Bearer ${keys[name]}` })
  const cancel = (url: string, headers: object) => ({
    method: 'DELETE' as const,
    url,
    headers: { host: 'localhost', ...headers },
  })

  test.each(['/druid/v2/sql/q%201', '/druid/v2/q%201'])('DELETE %s cancels it for its own caller only', async (url) => {
    const { app, sql } = await served({ TIDEMARK_ACCESS_CONSUMPTION: 'key' })
    const answered = app.inject(post('/druid/v2/sql', asked, key('reader')))
    await expect.poll(() => sql.length).toBe(1)
    expect((await app.inject(cancel(url, key('admin')))).statusCode).toBe(404)
    expect((await app.inject(cancel(url, {}))).statusCode).toBe(403)
    expect((await app.inject(cancel('/druid/v2/sql/q2', key('reader')))).statusCode).toBe(404)
    const canceled = await app.inject(cancel(url, key('reader')))
    expect([canceled.statusCode, canceled.body]).toEqual([202, ''])
    const response = await answered
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({ error: 'Query cancelled', category: 'CANCELED' })
    expect((await app.inject(cancel(url, key('reader')))).statusCode).toBe(404)
  })
})

describe('a query that runs in another process', () => {
  const cancel = (id: string) => ({
    method: 'DELETE' as const,
    url: `/druid/v2/sql/${id}`,
    headers: { host: 'localhost' },
  })

  test('is cancelled there by its id and reader, unless the id is too long', async () => {
    const asked: NamedQuery[] = []
    const cancelThere = async (query: NamedQuery): Promise<boolean> => {
      asked.push(query)
      return query.id === 'there'
    }
    const { app } = await served({}, { cancel: cancelThere, listen: () => undefined })
    expect((await app.inject(cancel('there'))).statusCode).toBe(202)
    expect((await app.inject(cancel('nowhere'))).statusCode).toBe(404)
    expect((await app.inject(cancel('x'.repeat(257)))).statusCode).toBe(404)
    const readerId = 'address 127.0.0.1'
    expect(asked).toEqual([
      { id: 'there', readerId },
      { id: 'nowhere', readerId },
    ])
  })

  test('gets a 503 while the other processes are unavailable', async () => {
    const away = new Problem('unavailable', 'The database is away.')
    const { app } = await served({}, { cancel: () => Promise.reject(away), listen: () => undefined })
    const response = await app.inject(cancel('q'))
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({ context: { code: 'unavailable' } })
  })

  test('is cancelled on request of another process, for its own caller only', async () => {
    let cancelHere = (_query: NamedQuery): boolean => false
    const listen = (listener: typeof cancelHere): void => {
      cancelHere = listener
    }
    const away = new Problem('unavailable', 'The database is away.')
    const { app, sql } = await served({}, { cancel: () => Promise.reject(away), listen })
    const body = { query: 'SELECT forever', context: { sqlQueryId: 'q' } }
    const answered = app.inject(post('/druid/v2/sql', body))
    await expect.poll(() => sql.length).toBe(1)
    expect(cancelHere({ id: 'q', readerId: 'subscriber 1' })).toBe(false)
    expect(cancelHere({ id: 'q', readerId: 'address 127.0.0.1' })).toBe(true)
    expect((await answered).json()).toMatchObject({ context: { code: 'query_canceled' } })
    // A query of this process is canceled without the other processes.
    const again = app.inject(post('/druid/v2/sql', body))
    await expect.poll(() => sql.length).toBe(2)
    expect((await app.inject(cancel('q'))).statusCode).toBe(202)
    await again
  })
})
