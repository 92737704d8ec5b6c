// Random requests: an endpoint of the OpenAPI document, a key, a path, parameters, headers and a body, each valid more often than not, so that requests
// get past the first check.
import { gzipSync } from 'node:zlib'
import type { Random } from '../support/random.ts'
import { chance, edgeNumbers, edgeText, edgeTimes, edgeValue, jsonText, pick } from './edge-values.ts'
import { changed, goodValue, type Names, row, type Schema } from './random-bodies.ts'

export interface Endpoint {
  readonly method: string
  readonly path: string
  /** The relative frequency of the endpoint. */
  readonly weight: number
  readonly body: Schema | null
  readonly parameters: readonly string[]
}

export interface FuzzedRequest {
  readonly method: string
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | null
}

export interface RequestSource {
  readonly endpoints: readonly Endpoint[]
  readonly keys: Readonly<Record<string, string | null>>
  readonly names: Names
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

/** A backup copies all data, and requests that create or remove something change the data that others work on. */
const rare = /^\/admin\/backups|^DELETE/

export function endpointsOf(document: Document): readonly Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      weight: rare.test(path) ? 1 : method === 'delete' ? 8 : 40,
      body: requestBody?.content['application/json']?.schema ?? null,
      parameters: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    })),
  )
}

function weighted(random: Random, endpoints: readonly Endpoint[]): Endpoint {
  let left = random.below(endpoints.reduce((sum, { weight }) => sum + weight, 0))
  for (const endpoint of endpoints) {
    left -= endpoint.weight
    if (left < 0) return endpoint
  }
  throw new Error('the weights are what they were a moment ago')
}

export function randomRequest(random: Random, asked: RequestSource): FuzzedRequest {
  const endpoint = weighted(random, asked.endpoints)
  const body = bodyOf(random, endpoint, asked.names)
  return {
    method: chance(random, 95) ? endpoint.method : pick(random, oddMethods),
    target: pathOf(random, endpoint, asked.names) + queryOf(random, endpoint, asked.names),
    headers: [...keyHeaders(random, asked.keys), ...body.headers, ...oddHeaders(random)],
    body: body.bytes,
  }
}

const oddMethods = 'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND PURGE SEARCH QUERY M-SEARCH LINK'.split(' ')

const oddPathParts = '%00 %2e%2e .. . %ff %c0%af %zz %25 %2F %5C ;x=1 a%20b * __proto__ constructor : %E2%80%AE'.split(
  ' ',
)

function pathOf(random: Random, { path }: Endpoint, names: Names): string {
  if (chance(random, 2))
    return pick(random, ['/', '//', '/.', '/%', '/docs/static/..%2f', `/${'a/'.repeat(2000)}`, '/docs/x'])
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (chance(random, 5)) return pick(random, oddPathParts)
    if (chance(random, 8)) return encoded(edgeText(random))
    return encoded(pick(random, parameterNames(name, names)))
  })
  return chance(random, 2) ? filled + pick(random, ['/', '//', '/x', '%00', '/..', ';']) : filled
}

/** Replaces unpaired surrogates, which have no encoding. */
const encoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))

function parameterNames(
  name: string,
  { ingests, tables, subscribers, batches, entities, ids }: Names,
): readonly string[] {
  switch (name) {
    case 'ingest':
    case 'alias':
      return ingests
    case 'table':
      return tables
    case 'name':
      return subscribers
    case 'batch':
      return batches
    case 'entity':
      return entities
    default:
      return ids
  }
}

const itemFilters = [
  'id',
  'id[gt]',
  'id[gte]',
  'id[lt]',
  'id[lte]',
  'id[bw]',
  'id[be]',
  'id[x]',
  'other',
  '[',
  'id[',
  'n[be]',
]

function queryOf(random: Random, { parameters, path, method }: Endpoint, names: Names): string {
  if (!chance(random, parameters.length > 0 ? 70 : 5)) return ''
  const known = path === '/consumer/metadata/{table}' && method === 'GET' ? [...parameters, ...itemFilters] : parameters
  const pairs = Array.from({ length: 1 + random.below(3) }, () => {
    const name = known.length > 0 && chance(random, 92) ? pick(random, known) : edgeText(random)
    return `${encoded(name)}=${parameterValue(random, name, names)}`
  })
  if (chance(random, 3))
    pairs.push(pick(random, ['%', '&&', '=', '=1', 'a=%ff', '?', '+', 'x'.repeat(9000), 'limit', '%00=%00']))
  return `?${pairs.join('&')}`
}

function parameterValue(random: Random, name: string, names: Names): string {
  if (chance(random, 25)) return encoded(edgeText(random))
  if (name === 'limit') return pick(random, edgeNumbers).text
  if (name === 'wait') return pick(random, ['true', 'false', 'TRUE', '1'])
  if (name === 'data') return pick(random, ['keep', 'drop'])
  if (name === 'batch') return pick(random, names.batches)
  return pick(random, [
    '1',
    'a',
    'a,b',
    'b,a',
    '1,2',
    'a,b,c',
    ...names.ids.map(encoded),
    encoded(pick(random, edgeTimes)),
  ])
}

function keyHeaders(random: Random, keys: RequestSource['keys']): FuzzedRequest['headers'] {
  const usual = chance(random, 60)
    ? pick(random, ['admin', 'both', 'pusher', 'reader'])
    : pick(random, Object.keys(keys))
  const key = keys[usual] ?? null
  if (key === null) return []
  if (chance(random, 50)) return [['Authorization', `Bearer ${key}`]]
  if (chance(random, 90)) return [['X-API-Key', key]]
  return pick(random, [
    [['authorization', 'Bearer']],
    [['authorization', `bearer   ${key}  `]],
    [['authorization', `Basic ${Buffer.from(`x:${key}`).toString('base64')}`]],
    [['authorization', `Bearer ${key}, Bearer ${key}`]],
    [['authorization', '\u00ff\u00fe']],
    [
      ['Authorization', `Bearer ${key}`],
      ['X-API-Key', 'another'],
    ],
    [
      ['X-API-Key', key],
      ['x-api-key', key],
    ],
    [['X-API-Key', '']],
  ] as const)
}

const oddHeaderLines: FuzzedRequest['headers'] = [
  ['Accept', 'text/csv'],
  ['Accept', 'application/x-ndjson'],
  ['Accept', 'application/vnd.apache.arrow.stream'],
  ['Accept', '*/*;q=0'],
  ['Accept', 'application/json;q=1e999, ;;;,,, a/b;q=-1'],
  ['Accept', ','.repeat(3000)],
  ['Accept-Encoding', 'gzip, br, zstd'],
  ['Accept-Encoding', 'identity;q=0, *;q=0'],
  ['Accept-Encoding', '\u00ff;q=x'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['X-Forwarded-For', '1.2.3.4, ::1'],
  ['X-Forwarded-Host', 'evil.example:99999'],
  ['Forwarded', 'for="[::1]:x";by=_'],
  ['Range', 'bytes=5-1'],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'yesterday'],
  ['Upgrade', 'h2c'],
  ['Expect', '100-continue'],
  ['Cookie', 'a=b; '.repeat(500)],
  ['TE', 'trailers, gzip'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'same'],
  ['Idempotency-Key', 'x'.repeat(256)],
  ['Idempotency-Key', '\u00e9'],
  ['X-Request-Id', '\u00ff'.repeat(100)],
  ['Access-Control-Request-Method', 'POST'],
  ['X-Long', 'x'.repeat(20_000)],
]

function oddHeaders(random: Random): FuzzedRequest['headers'] {
  if (chance(random, 60)) return []
  return Array.from({ length: 1 + random.below(2) }, () => pick(random, oddHeaderLines))
}

interface Body {
  readonly bytes: Buffer | null
  readonly headers: FuzzedRequest['headers']
}

function bodyOf(random: Random, endpoint: Endpoint, names: Names): Body {
  const isPush = /^\/ingests?\//.test(endpoint.path) && endpoint.method === 'POST'
  if (isPush && chance(random, 30)) return encodedBody(random, ndjson(random), 'application/x-ndjson')
  if (endpoint.body === null && !isPush) {
    return chance(random, 95)
      ? { bytes: null, headers: [] }
      : encodedBody(random, jsonText(edgeValue(random)), 'application/json')
  }
  let value = isPush ? rows(random) : goodValue(random, endpoint.body ?? {}, names)
  for (let left = chance(random, 55) ? 0 : 1 + random.below(3); left > 0; left--) value = changed(random, value)
  return encodedBody(random, jsonText(value), 'application/json')
}

function rows(random: Random): unknown {
  return chance(random, 30) ? row(random) : Array.from({ length: random.below(4) }, () => row(random))
}

function ndjson(random: Random): string {
  return Array.from({ length: random.below(5) }, () =>
    jsonText(chance(random, 85) ? row(random) : edgeValue(random)),
  ).join(pick(random, ['\n', '\r\n', '\n\n', '\r']))
}

const mediaTypes = [
  'text/plain',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
  ';',
  'json',
  'a/b;'.repeat(500),
]

function encodedBody(random: Random, text: string, mediaType: string): Body {
  let bytes = Buffer.from(text)
  const headers: [string, string][] = []
  if (chance(random, 90)) headers.push(['Content-Type', chance(random, 96) ? mediaType : pick(random, mediaTypes)])
  if (chance(random, 4)) bytes = bytes.subarray(0, random.below(bytes.length + 1))
  if (chance(random, 3)) bytes = Buffer.concat([bytes, Buffer.from([random.below(256)]), bytes.subarray(0, 5)])
  if (chance(random, 2)) bytes = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])
  if (chance(random, 8)) {
    headers.push(['Content-Encoding', 'gzip'])
    bytes = gzipSync(bytes)
    if (chance(random, 25))
      bytes = pick(random, [bytes.subarray(0, -3), Buffer.concat([bytes, bytes]), Buffer.from('{}')])
  } else if (chance(random, 2)) {
    headers.push(['Content-Encoding', pick(random, ['br', 'gzip, gzip', 'x-gzip', 'identity', '', 'deflate'])])
  }
  return { bytes, headers }
}
