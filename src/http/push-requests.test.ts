// Pushes and their responses, through the whole server except its sockets.
import { gzipSync } from 'node:zlib'
import type { InjectOptions } from 'fastify'
import { describe, expect, test } from 'vitest'
import { keys, testServer } from '../../test/support/http-server.ts'
import { get, outcomeOn, post, push, pusher, select } from '../../test/support/injected-requests.ts'

const { app, pushed } = await testServer()
const limited = await testServer(
  {},
  { TIDEMARK_LIMITS_INGEST_BODY_BYTES: '100', TIDEMARK_LIMITS_QUERY_BODY_BYTES: '100' },
)
const outcome = (request: InjectOptions, server = app) => outcomeOn(server, request)

test.each([
  ['text/csv', 'tidemark push <ingest> <file>.csv'],
  ['text/plain', 'Set the header Content-Type'],
])('a body of %s is told: %s', async (type, advice) => {
  const answer = await app.inject(post(push, 'a,b', { ...pusher, 'content-type': type }))
  expect(answer.json<{ detail: string }>().detail).toContain(advice)
})

describe('pushes: access, existence, state, and only then the body', () => {
  const bad = { 'content-type': 'text/plain' }
  test.each<[string, InjectOptions, number, string | null]>([
    ['no key', post('/ingests/nothing/data', '{', bad), 403, 'forbidden'],
    ['wrong key', post(push, '{', { ...bad, 'x-api-key': 'guess' }), 403, 'forbidden'],
    ['key without the right', post(push, '{', { ...bad, 'x-api-key': keys.reader }), 403, 'forbidden'],
    ['no ingest', post('/ingests/nothing/data?x=1', '{', { ...bad, ...pusher }), 404, 'ingest_not_found'],
    ['name of a property of objects', post('/ingests/__proto__/data', '{}', pusher), 404, 'ingest_not_found'],
    ['blocked', post('/ingests/blocked/data?x=1', '{', { ...bad, ...pusher }), 423, 'ingest_blocked'],
    ['type', post(push, '{', { ...bad, ...pusher }), 415, 'unsupported_media_type'],
    ['no type', post(push, '{}', pusher), 200, null],
    ['bad type', post(push, '{}', { ...pusher, 'content-type': 'json' }), 415, 'unsupported_media_type'],
    [
      'charset',
      post(push, '{}', { ...pusher, 'content-type': 'application/json; charset=latin1' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a charset that begins as UTF-8',
      post(push, '{}', { ...pusher, 'content-type': 'application/json; charset=utf-8859' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a charset between the quotes of another parameter',
      post(push, '{}', { ...pusher, 'content-type': 'application/json;x="a;charset=latin1"' }),
      200,
      null,
    ],
    ['utf-8', post(push, '{}', { ...pusher, 'content-type': 'Application/JSON; charset="UTF-8"' }), 200, null],
    ['encoding', post(push, '{}', { ...pusher, 'content-encoding': 'br' }), 415, 'unsupported_media_type'],
    ['identity', post(push, '{}', { ...pusher, 'content-encoding': 'identity' }), 200, null],
    ['empty', post(push, '', pusher), 400, 'invalid_body'],
    ['no body', post(push, undefined, pusher), 400, 'invalid_body'],
    ['no gzip', post(push, '{}', { ...pusher, 'content-encoding': 'gzip' }), 400, 'invalid_body'],
    [
      'half a gzip',
      post(push, gzipSync('{"D":1}').subarray(0, 20), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'invalid_body',
    ],
    [
      'two parts of gzip, filled up with zeros',
      post(push, Buffer.concat([gzipSync('{"D":'), gzipSync('1}'), Buffer.alloc(9)]), {
        ...pusher,
        'content-encoding': 'gzip',
      }),
      200,
      null,
    ],
    [
      'a second part of gzip behind zeros',
      post(push, Buffer.concat([gzipSync('{}'), Buffer.alloc(1), gzipSync('{}')]), {
        ...pusher,
        'content-encoding': 'gzip',
      }),
      400,
      'invalid_body',
    ],
    [
      'something behind gzip',
      post(push, Buffer.concat([gzipSync('{}'), Buffer.from('{}')]), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'invalid_body',
    ],
    ['empty gzip', post(push, gzipSync(''), { ...pusher, 'content-encoding': 'gzip' }), 400, 'invalid_body'],
    ['wait', post(`${push}?wait=maybe`, '{}', pusher), 400, 'invalid_request'],
    ['wait twice', post(`${push}?wait=true&wait=true`, '{}', pusher), 400, 'invalid_request'],
    ['other parameter', post(`${push}?wiat=true`, '{}', pusher), 400, 'invalid_request'],
    ['any Accept', post(push, '{}', { ...pusher, accept: 'text/csv' }), 200, null],
    ['the other path', post('/ingest/plant/data', '{}', pusher), 200, null],
    ['receipt', get('/ingests/plant/batches/b1', pusher), 200, null],
    ['receipt without key', get('/ingests/plant/batches/b1'), 403, 'forbidden'],
    ['receipt of no batch', get('/ingests/plant/batches/b2', pusher), 404, 'batch_not_found'],
    ['receipt of no ingest', get('/ingests/nothing/batches/b1', pusher), 404, 'batch_not_found'],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  test('the body goes on as it came, decompressed, without a byte order mark, never parsed', async () => {
    pushed.length = 0
    await app.inject(post(push, ' [{"V":9007199254740993}]', pusher))
    const ndjson = { ...pusher, 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
    await app.inject(post(`${push}?wait=true`, gzipSync('{}\n{}'), ndjson))
    await app.inject(post(push, '\ufeff{}', pusher))
    await app.inject(post(push, gzipSync('\ufeff{}\n{}'), ndjson))
    expect(pushed).toEqual([
      { body: ' [{"V":9007199254740993}]', format: 'json', wait: false },
      { body: '{}\n{}', format: 'ndjson', wait: true },
      { body: '{}', format: 'json', wait: false },
      { body: '{}\n{}', format: 'ndjson', wait: false },
    ])
  })

  test('a blocked ingest is told with the reason', async () => {
    const { response } = await outcome(post('/ingests/blocked/data', '{}', pusher))
    expect(response.json<{ detail: string }>().detail).toContain('Meter is being replaced')
  })

  test.each<[string, InjectOptions, number, string | null]>([
    ['at the limit', post(push, 'x'.repeat(100), pusher), 200, null],
    ['over the limit', post(push, 'x'.repeat(101), pusher), 400, 'body_too_large'],
    [
      'gzip over the limit',
      post(push, gzipSync('x'.repeat(101)), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'body_too_large',
    ],
    [
      'a bomb',
      post(push, gzipSync(Buffer.alloc(50_000)), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'body_too_large',
    ],
    ['query over the limit', post(select, { entity: 'x'.repeat(100) }), 413, 'query_body_too_large'],
    [
      'gzip query over the limit',
      post(select, gzipSync('x'.repeat(101)), { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      413,
      'query_body_too_large',
    ],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request, limited.app)).toMatchObject({ status, code })
  })
})
