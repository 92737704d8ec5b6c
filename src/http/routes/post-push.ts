import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import { IdempotencyHeaders, idempotencyKeyOf, validatePush } from '../idempotency-header.ts'
import { admitPush, PushBody, PushParameters, pushedRows, pushProblems, readPushBody } from '../pushed-rows.ts'
import type { Route } from '../route.ts'
import { PushAnswer } from './push-schemas.ts'

const Query = Type.Object(
  {
    wait: Type.Optional(
      Type.Enum(['true', 'false'], {
        description:
          'With `true`, the answer waits until the rows can be queried, and is their receipt. After limits.ingestWaitMs it is the plain answer.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Where rows are pushed to; `src/http/plain-pushes.ts` answers there too. */
export const pushPaths = [
  { url: '/ingests/:ingest/data', operationId: 'push' },
  { url: '/ingest/:ingest/data', operationId: 'pushToSingular' },
] as const

/** A push of rows, at its path and at the other way of writing it. */
export const postPush: Route = (app, parts) => {
  const { services, guard } = parts
  const preValidation = readPushBody(parts)
  for (const { url, operationId } of pushPaths) {
    app.route({
      method: 'POST',
      url,
      schema: describe(operationId),
      validatorCompiler: validatePush,
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
          idempotencyKey: idempotencyKeyOf(request.headers),
          wait: request.query.wait === 'true',
        })
        return reply.type('application/json').send(Buffer.from(JSON.stringify(answer)))
      },
    })
  }
}

function describe(operationId: string) {
  return {
    tags: ['ingestion'],
    operationId,
    summary: 'Push rows into an ingest.',
    description:
      'The body is one row (a JSON object), an array of rows, or one row a line (application/x-ndjson). It may be gzip. ' +
      'The answer means that the rows are on disk. They are validated afterwards: a row is stored or kept as rejected, never dropped.',
    security: keySecurity,
    params: PushParameters,
    headers: IdempotencyHeaders,
    querystring: Query,
    body: PushBody,
    response: answers(200, 'The rows are on disk.', PushAnswer, problemCodes),
  }
}

const problemCodes = [...pushProblems, 'idempotency_key_reused', 'unavailable'] as const
