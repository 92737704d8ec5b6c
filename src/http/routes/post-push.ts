import Type from 'typebox'
import type { Caller } from '../../access/access.ts'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import { mediaTypeOf, pushTypes, readBytes } from '../body.ts'
import { answers, keySecurity } from '../document.ts'
import { existingIngest } from '../existing-ingest.ts'
import type { Route, RouteParts } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { PushAnswer } from './push-schemas.ts'

/** Where the rows of a push go, once it was let in. */
interface PushTarget {
  readonly subscriberId: number
  readonly ingest: Ingest
}

declare module 'fastify' {
  interface FastifyRequest {
    pushTarget: PushTarget | null
  }
}

const Parameters = Type.Object({ ingest: Type.String({ description: 'The alias of the ingest.' }) })
const Query = Type.Object(
  {
    wait: Type.Optional(
      Type.Enum(['true', 'false'], {
        description:
          'Answer once the rows can be queried, with their receipt; after limits.ingestWaitMs with the plain answer.',
      }),
    ),
  },
  { additionalProperties: false },
)

const Row = Type.Object({}, { additionalProperties: true, description: 'Properties as the fields of the ingest say.' })
/** Only described: whether rows are valid is judged after the push. */
const PushBody = {
  content: {
    'application/json': {
      schema: Type.Union([Row, Type.Array(Row)], {
        examples: [[{ D: '2026-01-01T00:00:00.000Z', T: 'boiler.temp', V: 1.5 }]],
      }),
    },
    'application/x-ndjson': { schema: Type.String() },
  },
}

const paths = [
  { url: '/ingests/:ingest/data', operationId: 'push' },
  { url: '/ingest/:ingest/data', operationId: 'pushToSingular' },
] as const

/** A push of rows, at its path and at the other way of writing it. */
export const postPush: Route = (app, parts) => {
  const { services, settings, guard } = parts
  app.decorateRequest('pushTarget', null)
  const preValidation = readBytes({
    limitBytes: settings.limits.ingestBodyBytes,
    limitName: 'limits.ingestBodyBytes',
    tooLarge: 'body_too_large',
    mediaTypes: pushTypes,
  })
  for (const { url, operationId } of paths) {
    app.route({
      method: 'POST',
      url,
      schema: describe(operationId),
      validatorCompiler: (route) => (route.httpPart === 'body' ? () => true : schemaCompiler(route)),
      onRequest: (request, _reply, done) => {
        request.pushTarget = admit(services, guard.caller(request), request.params.ingest)
        done()
      },
      preValidation,
      handler: async (request, reply) => {
        const answer = await services.pushes.push({
          ...request.pushTarget!,
          body: bytesOf(request.body),
          format: mediaTypeOf(request.headers['content-type']) === 'application/x-ndjson' ? 'ndjson' : 'json',
          wait: request.query.wait === 'true',
        })
        return reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
      },
    })
  }
}

/** The order of the checks is the contract's: access, existence, state; then, with the rest of the request, the body. */
function admit({ access, definitions }: RouteParts['services'], caller: Caller | null, alias: string): PushTarget {
  const { subscriberId } = access.requireIngest(caller, alias)
  const ingest = existingIngest(definitions, alias)
  if (ingest.state === 'blocked') {
    const reason = ingest.reason === null ? 'The operator gave no reason.' : `The operator's reason: ${ingest.reason}`
    throw new Problem('ingest_blocked', `The ingest ${alias} takes no rows now. ${reason}`)
  }
  return { subscriberId, ingest }
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  throw new Error('the body of a push is read as bytes')
}

function describe(operationId: string) {
  return {
    tags: ['ingestion'],
    operationId,
    summary: 'Push rows into an ingest.',
    description:
      'The body is one row (a JSON object), an array of rows, or one row a line (application/x-ndjson); it may be gzip. ' +
      'The answer means that the rows are on disk. They are judged afterwards: a row is stored or kept as rejected, never dropped.',
    security: keySecurity,
    params: Parameters,
    querystring: Query,
    body: PushBody,
    response: answers(200, 'The rows are on disk.', PushAnswer, problemCodes),
  }
}

const problemCodes = [
  'invalid_request',
  'invalid_json',
  'invalid_body',
  'body_too_large',
  'forbidden',
  'ingest_not_found',
  'unsupported_media_type',
  'ingest_blocked',
  'overloaded',
  'unavailable',
  'shutting_down',
] as const
