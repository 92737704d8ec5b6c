// Tested by `src/http/line-requests.test.ts`.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requireCaller } from '../../access/caller.ts'
import { packageVersion } from '../../lib/own-package.ts'
import { type LinePrecision, lineFormatOf } from '../../model/line-format.ts'
import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { IdempotencyHeaders, idempotencyKeyOf, validatePush } from '../idempotency-header.ts'
import { lineAnswers, lineConfig, lineSchema } from '../line-route.ts'
import { admitPush, type PushTarget, pushProblems, readPushBody } from '../pushed-rows.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route, RouteParts } from '../route.ts'

/** One of InfluxDB's two write endpoints, with its names for units of time. */
export interface WritePath {
  readonly url: string
  readonly operationId: string
  /** The parameter that names the ingest. */
  readonly target: 'bucket' | 'db'
  readonly precisions: Readonly<Record<string, LinePrecision>>
  /** Other parameters that clients send, which are ignored. */
  readonly ignored: readonly string[]
}

/** Also handled by `src/http/plain-pushes.ts`. */
export const writePaths: readonly WritePath[] = [
  {
    url: '/api/v2/write',
    operationId: 'writeLines',
    target: 'bucket',
    precisions: { '': 'ns', ns: 'ns', us: 'us', ms: 'ms', s: 's' },
    ignored: ['org', 'orgID'],
  },
  {
    url: '/write',
    operationId: 'writeLinesV1',
    target: 'db',
    precisions: { '': 'ns', n: 'ns', ns: 'ns', u: 'us', us: 'us', ms: 'ms', s: 's', m: 'm', h: 'h' },
    ignored: ['rp', 'consistency', 'u'],
  },
]

/** Contains the id of the push in a response without a body. */
export const batchHeader = 'Tidemark-Batch'

/** Pushes of line protocol, as InfluxDB 2 and InfluxDB 1 accept them. */
export const postLines: Route = (app, parts) => {
  const preValidation = readPushBody(parts, null)
  for (const path of writePaths) {
    app.route({
      method: 'POST',
      url: path.url,
      config: lineConfig,
      schema: describe(path),
      validatorCompiler: validatePush,
      onRequest: (request, _reply, done) => {
        targetOf(request, path, parts)
        done()
      },
      preValidation,
      handler: async (request, reply) => {
        const { body, headers } = request
        if (!(body instanceof Uint8Array)) throw new Error('the body of a push is read as bytes')
        // Checked again, because a body may take minutes to arrive, and rows for an ingest dropped in the meantime would be lost.
        const target = targetOf(request, path, parts)
        const precision = path.precisions[parameter(request, 'precision') ?? 'ns'] ?? 'ns'
        const { batch } = await parts.services.pushes.push({
          ...target,
          body,
          format: lineFormatOf(precision, target.ingest.lines !== undefined),
          idempotencyKey: idempotencyKeyOf(headers),
          wait: false,
        })
        return reply.code(204).header(batchHeader, batch).send()
      },
    })
  }
}

function parameter({ query }: Pick<FastifyRequest, 'query'>, name: string): string | undefined {
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined
  return typeof value === 'string' ? value : undefined
}

function targetOf(request: FastifyRequest, { target }: WritePath, { services, guard }: RouteParts): PushTarget {
  const requester = guard.requester(request)
  const named = parameter(request, target)
  // InfluxDB 1.8 accepts `bucket=<database>/<retention policy>`. Aliases contain no slash.
  const alias = target === 'bucket' ? named?.replace(/\/.*/s, '') : named
  if (alias !== undefined) return admitPush(services, requester, alias)
  requireCaller(requester)
  throw new Problem('invalid_request', `Name the ingest in the query: ?${target}=<ingest>.`)
}

function describe({ operationId, target, precisions, ignored }: WritePath) {
  const names = Object.keys(precisions)
  return {
    ...lineSchema,
    operationId,
    summary: 'Push lines of line protocol into an ingest.',
    description:
      'The body is lines of line protocol, which may be gzip. The answer means that they are on disk. They are validated afterwards: a row is stored or kept as rejected, never dropped. A line is one row, or a row for each of its fields, depending on `lines` of the ingest.',
    headers: IdempotencyHeaders,
    querystring: Type.Object({
      [target]: Type.String({
        description: `The alias of the ingest.${target === 'bucket' ? ' A slash and the text after it are ignored.' : ''}`,
      }),
      precision: Type.Optional(
        Type.Enum(names, {
          description:
            'The unit of the times; nanoseconds if missing or empty. Fractions of a millisecond are cut off.',
        }),
      ),
      ...Object.fromEntries(ignored.map((name) => [name, Type.Optional(Type.String({ description: 'Ignored.' }))])),
      ...(target === 'db' ? { p: Type.Optional(Type.String({ description: 'The key, if no header has it.' })) } : {}),
    }),
    body: {
      content: { 'text/plain': { schema: Type.String({ examples: ['boiler,T=a.temp V=1.5 1767225600000000000'] }) } },
    },
    response: lineAnswers(
      {
        204: {
          description: 'The rows are on disk.',
          type: 'null',
          headers: {
            [batchHeader]: { schema: { type: 'string' }, description: 'The id of the push, for its receipt.' },
          },
        },
      },
      problemCodes,
    ),
  }
}

const problemCodes = [
  ...pushProblems.filter((code) => code !== 'invalid_json'),
  'idempotency_key_reused',
  'unavailable',
] as const

/** The InfluxDB release whose write endpoints are imitated; clients read it. */
const influxVersion = '1.8.10'

export const getPing: Route = (app) => {
  app.route({
    method: 'GET',
    url: '/ping',
    config: lineConfig,
    schema: {
      tags: ['line protocol'],
      operationId: 'ping',
      summary: 'Whether the process is alive, for InfluxDB clients.',
      security: [],
      querystring: anyParameters,
      response: lineAnswers({ 204: { description: 'It is.', type: 'null' } }, ['shutting_down']),
    },
    handler: async (_request, reply) => reply.code(204).header('X-Influxdb-Version', influxVersion).send(),
  })
}

const InfluxHealth = Type.Object({
  name: Type.String(),
  status: Type.Enum(['pass', 'fail']),
  message: Type.String(),
  version: Type.String(),
  checks: Type.Array(Type.Unknown()),
})

const content = { 'application/json': { schema: InfluxHealth } }

export const getInfluxHealth: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/health',
    config: lineConfig,
    schema: {
      tags: ['line protocol'],
      operationId: 'influxHealth',
      summary: 'Whether traffic may be sent here, for InfluxDB clients.',
      security: [],
      querystring: anyParameters,
      response: lineAnswers(
        { 200: { description: 'It may.', content }, 503: { description: 'Not now.', content } },
        [],
      ),
    },
    onRequest: guard.state,
    handler: async (request, reply) => {
      const { ready, reason } = services.readiness()
      const answer = {
        name: 'tidemark',
        status: ready ? 'pass' : 'fail',
        message: ready
          ? 'ready for queries and writes'
          : ((guard.mayObserve(request) ? reason : null) ?? 'not ready yet'),
        version: packageVersion,
        checks: [],
      }
      if (!ready) reply.code(503)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
