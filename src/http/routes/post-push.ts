import type { IncomingHttpHeaders } from 'node:http'
import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import { admitPush, PushBody, PushParameters, pushedRows, pushProblems, readPushBody } from '../pushed-rows.ts'
import type { Route } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { PushAnswer } from './push-schemas.ts'

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

const paths = [
  { url: '/ingests/:ingest/data', operationId: 'push' },
  { url: '/ingest/:ingest/data', operationId: 'pushToSingular' },
] as const

/** A push of rows, at its path and at the other way of writing it. */
export const postPush: Route = (app, parts) => {
  const { services, guard } = parts
  const preValidation = readPushBody(parts)
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
        admitPush(services, guard.asker(request), request.params.ingest)
        done()
      },
      preValidation,
      handler: async (request, reply) => {
        const answer = await services.pushes.push({
          // Again, for a body may take minutes: what was dropped meanwhile would keep nothing of it.
          ...admitPush(services, guard.asker(request), request.params.ingest),
          ...pushedRows(request),
          idempotencyKey: keyOf(request.headers),
          wait: request.query.wait === 'true',
        })
        return reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
      },
    })
  }
}

/** The header was checked; Node.js joins one that is there twice. */
function keyOf(headers: IncomingHttpHeaders): string | null {
  return headers['idempotency-key']?.toString() ?? null
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
    params: PushParameters,
    headers: Headers,
    querystring: Query,
    body: PushBody,
    response: answers(200, 'The rows are on disk.', PushAnswer, problemCodes),
  }
}

const problemCodes = [...pushProblems, 'idempotency_key_reused', 'unavailable'] as const
