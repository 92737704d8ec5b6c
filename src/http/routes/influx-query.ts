// Tested by `src/http/line-requests.test.ts`, `test/acceptance/influxql.test.ts`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { isCaller, requireCaller } from '../../access/caller.ts'
import { parseInfluxql } from '../../influxql/parse.ts'
import { type BoundValue, durationNs, queryCharactersMax } from '../../influxql/tokens.ts'
import type { ResultFormat } from '../../influxql/write-results.ts'
import { parseWithLongs } from '../../lib/json-with-longs.ts'
import { formatContentType } from '../../model/answer-format.ts'
import { Problem } from '../../model/problem.ts'
import { readBytes } from '../body.ts'
import { admits } from '../guard.ts'
import { lineAnswers, lineConfig, lineSchema, StatementError } from '../line-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route, RouteParts } from '../route.ts'
import { refuseBody } from './admin-request.ts'
import { answerQuery, commonProblemCodes } from './data-queries.ts'

const ignored = Type.Optional(Type.String({ description: 'Ignored.' }))
const parameters = Type.Object({
  q: Type.Optional(
    Type.String({
      description: 'Statements, with `;` between them.',
      examples: ['SHOW FIELD KEYS FROM "plant"'],
    }),
  ),
  db: Type.Optional(
    Type.String({ description: 'The ingest, or the entity. A slash and the text after it are ignored.' }),
  ),
  epoch: Type.Optional(
    Type.String({ description: 'Times as numbers: `ns`, `u`, `ms`, `s`, `m`, `h`. Default: strings.' }),
  ),
  chunked: Type.Optional(Type.String({ description: '`true`: a document for each `chunk_size` rows, one a line.' })),
  chunk_size: Type.Optional(Type.String({ description: 'Default: 10000.' })),
  pretty: Type.Optional(Type.String({ description: '`true`: with line breaks.' })),
  params: Type.Optional(Type.String({ description: 'The values of `$name` in the statements, as JSON.' })),
  p: Type.Optional(Type.String({ description: 'The key, if no header has it.' })),
  rp: ignored,
  u: ignored,
})

const response = lineAnswers(
  {
    200: {
      description: 'The results of the statements, as InfluxDB 1 writes them. A statement that failed has `error`.',
      content: {
        'application/json': { schema: Type.Object({ results: Type.Array(Type.Unknown()) }) },
        'application/csv': { schema: Type.String({ description: 'With this type in `Accept`.' }) },
      },
    },
  },
  [
    ...commonProblemCodes.filter((code) => code !== 'not_acceptable' && code !== 'invalid_json'),
    'too_many_buckets',
    'body_too_large',
  ],
  StatementError,
)

/** InfluxQL queries. InfluxDB 1 writers also create their database here before they write. */
export const influxQuery: Route = (app, parts) => {
  const { guard } = parts
  const config = { ...lineConfig, errorBody: 'influxql' } as const
  const schema = { ...lineSchema, summary: 'Statements in InfluxQL, as InfluxDB 1 accepts them.', response }
  const onRequest = admits((request) => isCaller(guard.requester(request)) || guard.requireConsumption(request))
  app.route({
    method: 'GET',
    url: '/query',
    config,
    schema: { ...schema, operationId: 'influxql', querystring: parameters },
    onRequest,
    preValidation: refuseBody(parts.settings),
    handler: (request, reply) => answer(new Map(Object.entries(request.query)), request, reply, parts),
  })
  app.route({
    method: 'POST',
    url: '/query',
    config,
    schema: {
      ...schema,
      operationId: 'influxql-by-form',
      description:
        'The parameters may be in the address or in the body, as a form: urlencoded, or multipart/form-data.',
      querystring: anyParameters,
    },
    onRequest,
    preValidation: readBytes({
      limitBytes: bodyBytesMax,
      limitName: 'three times 64 KiB',
      tooLarge: 'query_body_too_large',
      mediaTypes: null,
      whenEmpty: ' ',
    }),
    handler: async (request, reply) => {
      const form = await formOf(request)
      return answer(new Map([...form, ...Object.entries(request.query)]), request, reply, parts)
    },
  })
}

/** Each character may be percent-encoded. */
const bodyBytesMax = 3 * queryCharactersMax

/** A body that is not multipart is read as urlencoded, because many clients omit its type. Throws Problem `invalid_request`. */
async function formOf({ body, headers }: FastifyRequest): Promise<readonly (readonly [string, string])[]> {
  const bytes = body instanceof Uint8Array ? Buffer.from(body) : Buffer.alloc(0)
  const type = headers['content-type'] ?? ''
  if (!/^multipart\/form-data\b/i.test(type)) return [...new URLSearchParams(bytes.toString())]
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    return await Promise.all(
      [...form].map(async ([name, value]) => [name, typeof value === 'string' ? value : await value.text()] as const),
    )
  } catch {
    throw new Problem(
      'invalid_request',
      'The body is not multipart/form-data with the boundary that its Content-Type gives.',
    )
  }
}

async function answer(
  given: ReadonlyMap<string, unknown>,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: RouteParts,
): Promise<FastifyReply> {
  const { services, guard } = parts
  const text = (name: string): string | null => {
    const value = given.get(name)
    return typeof value === 'string' ? value : null
  }
  const query = text('q')
  if (query === null || query.trim() === '')
    throw new Problem(
      'invalid_request',
      'missing required parameter "q": send it in the address, or in the body as a form (curl --data-urlencode, or --form q=@statements.txt).',
    )
  const statements = parseInfluxql(query, boundValues(text('params')))
  if (statements.every(({ kind }) => kind === 'create database')) requireCaller(guard.requester(request))
  else guard.requireConsumption(request)
  const format = formatOf(text, request.headers.accept)
  reply.header('Cache-Control', 'no-store')
  return answerQuery(request, reply, parts, {
    name: 'influxql',
    mediaType: formatContentType(format.isCsv ? 'csv' : 'json'),
    run: (cancellation, reader) =>
      services.influxQueries.run({ statements, database: text('db'), format }, cancellation, reader),
  })
}

const epochsNs: ReadonlyMap<string, bigint> = new Map([
  ['n', 1n],
  ...['ns', 'u', 'µ', 'us', 'ms', 's', 'm', 'h'].map((unit) => [unit, durationNs(`1${unit}`)] as const),
])

const chunkRowsDefault = 10_000

function formatOf(text: (name: string) => string | null, accept: string | undefined): ResultFormat {
  const chunkSize = Number(text('chunk_size') ?? chunkRowsDefault)
  const chunkRows = Number.isInteger(chunkSize) && chunkSize > 0 ? chunkSize : chunkRowsDefault
  return {
    epochNs: epochsNs.get(text('epoch') ?? '') ?? null,
    isPretty: text('pretty') === 'true',
    chunkRows: text('chunked') === 'true' ? chunkRows : null,
    isCsv: /^(?:application|text)\/csv\b/.test(accept ?? ''),
  }
}

/** Throws Problem `invalid_request`. */
function boundValues(params: string | null): ReadonlyMap<string, BoundValue> {
  if (params === null || params === '') return new Map()
  let values: unknown
  try {
    values = parseWithLongs(params)
  } catch {
    throw new Problem('invalid_request', 'error parsing query parameters: params is not JSON')
  }
  return new Map(Object.entries(Object(values)).map(([name, value]) => [name, boundValue(name, value)]))
}

function boundValue(name: string, value: unknown): BoundValue {
  if (typeof value === 'string') return { kind: 'text', text: value }
  if (typeof value === 'number' || typeof value === 'bigint') return { kind: 'number', text: String(value) }
  if (typeof value === 'boolean') return { kind: 'name', text: String(value) }
  const pairs = Object.entries(Object(value))
  const [[kind, inner] = []] = pairs
  if (pairs.length === 1) {
    if (kind === 'regex' && typeof inner === 'string') return { kind: 'pattern', text: inner }
    if ((kind === 'ident' || kind === 'identifier') && typeof inner === 'string') return { kind: 'quoted', text: inner }
    if (plainKinds.get(kind!)?.includes(typeof inner)) return boundValue(name, inner)
    // As in InfluxDB, a number is in nanoseconds.
    const duration = Number.isSafeInteger(inner) ? `${inner}ns` : inner
    if (kind === 'duration' && typeof duration === 'string' && /^(?:\d+(?:ns|us|ms|[uµsmhdw]))+$/.test(duration))
      return { kind, text: duration }
  }
  throw new Problem(
    'invalid_request',
    `params.${name} must be a string, a number, true or false, or have one of the forms {"regex": "..."}, {"duration": "5m"}, {"ident": "..."}, {"string": "..."}, {"integer": 5}, {"float": 1.5} and {"boolean": true}`,
  )
}

const numbers = ['number', 'bigint']
/** Wrapped forms of values that may also be written plainly, with the types that they accept. */
const plainKinds: ReadonlyMap<string, readonly string[]> = new Map([
  ['integer', numbers],
  ['int', numbers],
  ['float', numbers],
  ['number', numbers],
  ['string', ['string']],
  ['boolean', ['boolean']],
])
