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
])('a push of %s is refused with the advice: %s', async (type, advice) => {
  const answer = await app.inject(post(push, 'a,b', { ...pusher, 'content-type': type }))
  expect(answer.json<{ detail: string }>().detail).toContain(advice)
})

describe('pushes: access, existence and state are checked before the body', () => {
  const bad = { 'content-type': 'text/plain' }
  test.each<[string, InjectOptions, number, string | null]>([
    ['no key', post('/ingests/nothing/data', '{', bad), 403, 'forbidden'],
    ['an unknown key', post(push, '{', { ...bad, 'x-api-key': 'guess' }), 403, 'forbidden'],
    ['a key without the right', post(push, '{', { ...bad, 'x-api-key': keys.reader }), 403, 'forbidden'],
    ['an unknown ingest', post('/ingests/nothing/data?x=1', '{', { ...bad, ...pusher }), 404, 'ingest_not_found'],
    ['the name of an Object property', post('/ingests/__proto__/data', '{}', pusher), 404, 'ingest_not_found'],
    ['a blocked ingest', post('/ingests/blocked/data?x=1', '{', { ...bad, ...pusher }), 423, 'ingest_blocked'],
    ['another media type', post(push, '{', { ...bad, ...pusher }), 415, 'unsupported_media_type'],
    ['no Content-Type', post(push, '{}', pusher), 200, null],
    ['an invalid Content-Type', post(push, '{}', { ...pusher, 'content-type': 'json' }), 415, 'unsupported_media_type'],
    [
      'another charset',
      post(push, '{}', { ...pusher, 'content-type': 'application/json; charset=latin1' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a charset that begins like UTF-8',
      post(push, '{}', { ...pusher, 'content-type': 'application/json; charset=utf-8859' }),
      415,
      'unsupported_media_type',
    ],
    [
      'a charset within a quoted parameter',
      post(push, '{}', { ...pusher, 'content-type': 'application/json;x="a;charset=latin1"' }),
      200,
      null,
    ],
    [
      'a charset of UTF-8',
      post(push, '{}', { ...pusher, 'content-type': 'Application/JSON; charset="UTF-8"' }),
      200,
      null,
    ],
    [
      'another Content-Encoding',
      post(push, '{}', { ...pusher, 'content-encoding': 'br' }),
      415,
      'unsupported_media_type',
    ],
    ['Content-Encoding: identity', post(push, '{}', { ...pusher, 'content-encoding': 'identity' }), 200, null],
    ['an empty body', post(push, '', pusher), 400, 'invalid_body'],
    ['no body', post(push, undefined, pusher), 400, 'invalid_body'],
    ['a body that is not gzip', post(push, '{}', { ...pusher, 'content-encoding': 'gzip' }), 400, 'invalid_body'],
    [
      'a truncated gzip body',
      post(push, gzipSync('{"D":1}').subarray(0, 20), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'invalid_body',
    ],
    [
      'two gzip members, padded with zeros',
      post(push, Buffer.concat([gzipSync('{"D":'), gzipSync('1}'), Buffer.alloc(9)]), {
        ...pusher,
        'content-encoding': 'gzip',
      }),
      200,
      null,
    ],
    [
      'a second gzip member after zeros',
      post(push, Buffer.concat([gzipSync('{}'), Buffer.alloc(1), gzipSync('{}')]), {
        ...pusher,
        'content-encoding': 'gzip',
      }),
      400,
      'invalid_body',
    ],
    [
      'other bytes after gzip',
      post(push, Buffer.concat([gzipSync('{}'), Buffer.from('{}')]), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'invalid_body',
    ],
    ['gzip of an empty body', post(push, gzipSync(''), { ...pusher, 'content-encoding': 'gzip' }), 400, 'invalid_body'],
    ['an invalid wait', post(`${push}?wait=maybe`, '{}', pusher), 400, 'invalid_request'],
    ['a repeated wait', post(`${push}?wait=true&wait=true`, '{}', pusher), 400, 'invalid_request'],
    ['an unknown parameter', post(`${push}?wiat=true`, '{}', pusher), 400, 'invalid_request'],
    ['any Accept', post(push, '{}', { ...pusher, accept: 'text/csv' }), 200, null],
    ['the path /ingest', post('/ingest/plant/data', '{}', pusher), 200, null],
    ['a receipt', get('/ingests/plant/batches/b1', pusher), 200, null],
    ['a receipt without a key', get('/ingests/plant/batches/b1'), 403, 'forbidden'],
    ['a receipt of an unknown batch', get('/ingests/plant/batches/b2', pusher), 404, 'batch_not_found'],
    ['a receipt of an unknown ingest', get('/ingests/nothing/batches/b1', pusher), 404, 'batch_not_found'],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request)).toMatchObject({ status, code })
  })

  test('the body is passed on unparsed, decompressed and without a byte order mark', async () => {
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

  test('a blocked ingest is refused with the reason for the block', async () => {
    const { response } = await outcome(post('/ingests/blocked/data', '{}', pusher))
    expect(response.json<{ detail: string }>().detail).toContain('Meter is being replaced')
  })

  test.each<[string, InjectOptions, number, string | null]>([
    ['a push at the limit', post(push, 'x'.repeat(100), pusher), 200, null],
    ['a push over the limit', post(push, 'x'.repeat(101), pusher), 400, 'body_too_large'],
    [
      'a gzip push over the limit',
      post(push, gzipSync('x'.repeat(101)), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'body_too_large',
    ],
    [
      'a decompression bomb',
      post(push, gzipSync(Buffer.alloc(50_000)), { ...pusher, 'content-encoding': 'gzip' }),
      400,
      'body_too_large',
    ],
    ['a query over the limit', post(select, { entity: 'x'.repeat(100) }), 413, 'query_body_too_large'],
    [
      'a gzip query over the limit',
      post(select, gzipSync('x'.repeat(101)), { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      413,
      'query_body_too_large',
    ],
  ])('%s', async (_name, request, status, code) => {
    expect(await outcome(request, limited.app)).toMatchObject({ status, code })
  })
})
