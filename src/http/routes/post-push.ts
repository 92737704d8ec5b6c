import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import type { Asker } from '../../access/caller.ts'
import type { Ingest } from '../../model/ingest.ts'
import { Problem } from '../../model/problem.ts'
import { mediaTypeOf, pushTypes, readBytes } from '../body.ts'
import { BodyBudget } from '../body-budget.ts'
import { answers, keySecurity } from '../document.ts'
import { existingIngest } from '../existing-ingest.ts'
import type { Route, RouteParts } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { PushAnswer } from './push-schemas.ts'

/** Where the rows of a push go, once it was let in. */
interface PushTarget {
  readonly subscriberId: number
  readonly keyId: string
  readonly ingest: Ingest
}

const Parameters = Type.Object({ ingest: Type.String({ description: 'The alias of the ingest.' }) })
const Query = Type.Object(
  {
    wait: Type.Optional(
      Type.Enum(['true', 'false'], {
        description:
          'With `true`, the answer comes when the rows can be queried, and is their receipt. After limits.ingestWaitMs it is the plain answer.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** What the service keeps of a key is bounded, and a header holds no other characters for certain. */
const IdempotencyKey = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]*$',
    description:
      'A text of printable ASCII characters that names this push. A push that is sent again within 24 hours with the same key and body, to the same ingest and ' +
      'by the same subscriber, stores nothing again and gets the first answer. With another body it is a 400. Only a 200 uses a key up.',
    examples: ['9b2f2f0e-5f0b-4f57-a3f3-0a8b5d0c7a11'],
  }),
)
const Headers = Type.Object({ 'Idempotency-Key': IdempotencyKey })
/** As Node.js names them. */
const ReadHeaders = Type.Object({ 'idempotency-key': IdempotencyKey })

const Row = Type.Object(
  {},
  { additionalProperties: true, description: 'The properties that the fields of the ingest name.' },
)
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
  const preValidation = readBytes({
    limitBytes: settings.limits.ingestBodyBytes,
    limitName: 'limits.ingestBodyBytes',
    tooLarge: 'body_too_large',
    mediaTypes: pushTypes,
    budget: new BodyBudget(settings.limits.bodiesBytes),
  })
  for (const { url, operationId } of paths) {
    app.route({
      method: 'POST',
      url,
      schema: describe(operationId),
      validatorCompiler: (route) => {
        if (route.httpPart === 'body') return () => true
        return schemaCompiler(route.httpPart === 'headers' ? { ...route, schema: ReadHeaders } : route)
      },
      onRequest: (request, _reply, done) => {
        admit(services, guard.asker(request), request.params.ingest)
        done()
      },
      preValidation,
      handler: async (request, reply) => {
        const answer = await services.pushes.push({
          // Again, for a body may take minutes: what was dropped meanwhile would keep nothing of it.
          ...admit(services, guard.asker(request), request.params.ingest),
          body: bytesOf(request.body),
          idempotencyKey: keyOf(request.headers),
          format: mediaTypeOf(request.headers['content-type']) === 'application/x-ndjson' ? 'ndjson' : 'json',
          wait: request.query.wait === 'true',
        })
        return reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
      },
    })
  }
}

/** The order of the checks is the contract's: access, existence, state; then, with the rest of the request, the body. */
function admit({ access, definitions }: RouteParts['services'], asker: Asker, alias: string): PushTarget {
  const { subscriberId, keyId } = access.requireIngest(asker, alias)
  const ingest = existingIngest(definitions, alias)
  if (ingest.state === 'blocked') {
    const reason = ingest.reason === null ? 'The operator gave no reason.' : `The operator's reason: ${ingest.reason}`
    throw new Problem('ingest_blocked', `The ingest ${alias} takes no rows now. ${reason}`)
  }
  return { subscriberId, keyId, ingest }
}

/** The header was checked; Node.js joins one that is there twice. */
function keyOf(headers: IncomingHttpHeaders): string | null {
  return headers['idempotency-key']?.toString() ?? null
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
      'The body is one row (a JSON object), an array of rows, or one row a line (application/x-ndjson). It may be gzip. ' +
      'The answer means that the rows are on disk. They are judged afterwards: a row is stored or kept as rejected, never dropped.',
    security: keySecurity,
    params: Parameters,
    headers: Headers,
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
  'too_many_rows',
  'idempotency_key_reused',
  'forbidden',
  'ingest_not_found',
  'unsupported_media_type',
  'ingest_blocked',
  'too_many_requests',
  'overloaded',
  'unavailable',
  'shutting_down',
] as const
