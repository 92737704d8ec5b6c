import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreRefused, StoreUnfit } from '../object-store.ts'
import { parseS3Address, S3Store } from './s3-store.ts'

const asked: IncomingMessage[] = []
let server: Server
let store: S3Store
let bounded: S3Store
let answer: (response: ServerResponse) => void

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  asked.length = 0
  server = createServer((request, response) => {
    asked.push(request)
    request.resume().on('end', () => answer(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  store = new S3Store({ url: 's3://bucket/prefix', endpoint, region: '', requestMs: 500 })
  bounded = new S3Store({
    ...{ url: 's3://bucket/prefix', endpoint, region: '', requestMs: 30_000 },
    limits: { objectBytesMax: 1000, responseBytesMax: 8000, listBytesMax: 10_000 },
  })
})

afterEach(() => {
  store.close()
  bounded.close()
  server.closeAllConnections()
  server.close()
  vi.unstubAllEnvs()
})

const says = (status: number, code: string) => (response: ServerResponse) =>
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>words</Message></Error>`)
const put = () => store.putIfAbsent('log/1', Buffer.from('one'))

test('an object is written only if it does not exist, with a checksum for the store to verify', async () => {
  answer = (response) => response.writeHead(200, { etag: '"1"' }).end()
  expect(await put()).toBe(true)
  const { method, url, headers } = asked[0]!
  expect([method, url?.split('?')[0]]).toEqual(['PUT', '/bucket/prefix/log/1'])
  expect(headers).toMatchObject({
    'if-none-match': '*',
    'x-amz-checksum-sha256': createHash('sha256').update('one').digest('base64'),
  })
  answer = says(412, 'PreconditionFailed')
  expect(await put()).toBe(false)
})

test.each(['', '<html>Sign in</html>'])(
  'a 200 response from something other than an S3 store is an error: "%s"',
  async (page) => {
    answer = (response) => response.end(page)
    await expect(put()).rejects.toThrow('is not that of an S3 store')
    await expect(store.list('log/')[Symbol.asyncIterator]().next()).rejects.toThrow('is not that of an S3 store')
  },
)

test('a write that conflicts with another one is retried', async () => {
  answer = (response) => says(asked.length < 3 ? 409 : 412, 'ConditionalRequestConflict')(response)
  expect(await put()).toBe(false)
  expect(asked).toHaveLength(3)
})

test('a store that does not support If-None-Match is unfit for a replica', async () => {
  answer = says(501, 'NotImplemented')
  await expect(put()).rejects.toThrow(StoreUnfit)
})

test('a failure is reported at once with its message, without a retry', async () => {
  answer = says(503, 'SlowDown')
  await expect(put()).rejects.toThrow('s3://bucket/prefix/log/1: SlowDown: words')
  expect(asked).toHaveLength(1)
})

test.each([
  [403, 'AccessDenied'],
  [403, 'InvalidAccessKeyId'],
  [403, 'SignatureDoesNotMatch'],
  [404, 'NoSuchBucket'],
  [301, 'PermanentRedirect'],
  [400, 'AuthorizationHeaderMalformed'],
])('%i %s is a permanent refusal', async (status, code) => {
  answer = says(status, code)
  const list = () => store.list('log/')[Symbol.asyncIterator]().next()
  for (const ask of [put, () => store.get('log/1'), list]) {
    const error = await ask().then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(StoreRefused)
    expect(String(error)).toContain(`${code}: words`)
  }
})

test.each([
  [403, 'RequestTimeTooSkewed'],
  [400, 'RequestTimeout'],
  [400, 'BadDigest'],
  [500, 'InternalError'],
])('%i %s is a temporary failure, not a refusal', async (status, code) => {
  answer = says(status, code)
  await expect(put()).rejects.not.toThrow(StoreRefused)
})

test('a missing or incomplete response ends at the time limit of the request', async () => {
  answer = () => undefined
  await expect(put()).rejects.toThrow('the store did not answer within 500 ms')
  answer = (response) => response.writeHead(200, { 'content-length': '100' }).write('half')
  await expect(store.get('log/1')).rejects.toThrow('the store did not answer within 500 ms')
  answer = (response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => response.destroy(), 20)
  }
  await expect(store.get('log/1')).rejects.toThrow('s3://bucket/prefix/log/1')
})

const page = (names: readonly string[], more: boolean) =>
  `<ListBucketResult><IsTruncated>${more}</IsTruncated>${names.map((name) => `<Contents><Key>prefix/${name}</Key></Contents>`).join('')}` +
  `${more ? '<NextContinuationToken>again</NextContinuationToken>' : ''}</ListBucketResult>`

async function listed(): Promise<number> {
  let count = 0
  for await (const _ of bounded.list('log/')) count++
  return count
}

test('an endless list is read up to a limit of bytes of names', async () => {
  // With the prefix: twenty names of a hundred bytes.
  const names = Array.from({ length: 20 }, (_, index) => `log/${String(index).padStart(89, '0')}`)
  answer = (response) => response.end(page(names, asked.length < 5))
  expect(await listed()).toBe(100)
  asked.length = 0
  answer = (response) => response.end(page(names, true))
  await expect(listed()).rejects.toThrow('more than 10000 bytes of names at s3://bucket/prefix/log/')
  expect(asked).toHaveLength(6)
})

test('an endless list of empty pages ends at the same limit', async () => {
  answer = (response) => response.end(page([], true))
  await expect(listed()).rejects.toThrow('more than 10000 bytes of names')
  expect(asked).toHaveLength(10)
})

test('an endless page is read up to a limit of bytes', async () => {
  answer = (response) => {
    response.on('error', () => undefined).write('<ListBucketResult>')
    const more = (): void => {
      if (response.destroyed) return
      response.write('<Contents/>'.repeat(100))
      setImmediate(more)
    }
    more()
  }
  await expect(listed()).rejects.toThrow('the answer of the store has more than 8000 bytes')
})

test('an object is read up to a limit of bytes', async () => {
  answer = (response) => response.end(Buffer.alloc(1000))
  expect(await bounded.get('log/1')).toHaveLength(1000)
  answer = (response) => response.end(Buffer.alloc(1001))
  await expect(bounded.get('log/1')).rejects.toThrow('more than 1000 bytes')
})

test.each([
  ['s3://bucket', 'bucket', ''],
  ['s3://bucket/', 'bucket', ''],
  ['s3://my.bucket-1/tidemark', 'my.bucket-1', 'tidemark/'],
  ['s3://bucket//a/b_c//', 'bucket', 'a/b_c/'],
])('parses the address %s', (url, bucket, prefix) => expect(parseS3Address(url)).toEqual({ bucket, prefix }))

test.each(['s3://', 's3:///prefix', 's3://B/prefix', 's3://ab', 's3://bucket/with space', 's3://bucket?x'])(
  'refuses the address %s',
  (url) => expect(() => parseS3Address(url)).toThrow('Give one such as s3://bucket/prefix'),
)
