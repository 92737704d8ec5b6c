// Bytes that are not HTTP, or barely.
import type { Random } from '../support/random.ts'
import { chance, pick } from './edge-values.ts'
import type { FuzzedRequest } from './random-requests.ts'

const heads: readonly string[] = [
  'GET /healthz HTTP/1.1\r\n\r\n',
  'GET /healthz HTTP/1.0\r\n\r\n',
  'GET /healthz\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost:\r\n\r\n',
  'GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n',
  'GET  /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'get /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET http:///healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET https://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET ftp://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /#x HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET /\u00ff HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET \\healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'GET * HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'CONNECT / HTTP/1.1\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\0\0\0\0',
  '\r\n\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{}',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n{}',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nContent-Length: +2\r\n\r\n{}',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, gzip\r\n\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n\r\n{}',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \u000bchunked\r\n\r\n0\r\n\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2;a="b"\r\n{}\r\n0\r\nTrailer: x\r\n\r\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n',
  'POST /consumer/data/select HTTP/1.1\r\nHost: localhost\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}',
  'GET /healthz HTTP/1.1\nHost: localhost\n\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n folded: x\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\n: empty\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX : a\r\n\r\n',
  `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${'X: y\r\n'.repeat(3000)}\r\n`,
  `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n',
]

/** A broken request or a valid one, with bytes changed, removed, doubled, or cut off. */
export function brokenBytes(random: Random, request: FuzzedRequest): Buffer {
  const bytes = chance(random, 40) ? Buffer.from(pick(random, heads), 'latin1') : bytesOf(request)
  const broken = Buffer.from(bytes)
  for (let left = random.below(4); left > 0 && broken.length > 0; left--)
    broken[random.below(broken.length)] = random.below(256)
  if (chance(random, 20)) return broken.subarray(0, random.below(broken.length + 1))
  if (chance(random, 20)) return Buffer.concat([broken, bytesOf(request)])
  return broken
}

function bytesOf({ method, target, headers, body }: FuzzedRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const length = body === null ? '' : `Content-Length: ${body.length}\r\n`
  const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${lines}${length}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
}
