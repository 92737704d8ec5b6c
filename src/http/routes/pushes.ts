// Push endpoints, and the schemas of their responses for the OpenAPI document.
import Type, { type Static } from 'typebox'
import { answers, keySecurity } from '../document.ts'
import { IdempotencyHeaders, idempotencyKeyOf, validatePush } from '../idempotency-header.ts'
import { admitPush, PushBody, PushParameters, pushedRows, pushProblems, readPushBody } from '../pushed-rows.ts'
import type { Route } from '../route.ts'

const text = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })

const fault = {
  field: text('The invalid property, as pushed; null if the whole row is invalid.'),
  code: Type.String({ examples: ['unknown_field'] }),
  message: Type.String(),
}
const index = Type.Integer({ description: "The row's place in the push, from 0." })
const RowError = Type.Object({ index, ...fault })
const CheckedRow = Type.Object({
  index,
  ...fault,
  further: Type.Optional(
    Type.Array(Type.Object(fault), {
      description: 'Further faults of the row, at most 20. None for lines and for rows above 64 KiB.',
    }),
  ),
})

export const ReceiptAnswer = Type.Object(
  {
    batch: Type.String({ description: 'The id of the push.' }),
    rows: Type.Integer({ description: 'Rows received: stored, rejected and pending ones together.' }),
    stored: Type.Integer({
      description: "Rows that can be queried. Rows older than the entity's retention count too, but are never shown.",
    }),
    rejected: Type.Integer({ description: 'Rows that failed validation, and are kept for the operator.' }),
    pending: Type.Integer({ description: 'Rows that are on disk and not validated yet.' }),
    replaced: Type.Integer({
      description:
        'Stored rows that replaced an earlier row of the same push with the same time and tags: 0 unless `duplicates` is `replace`. Only the first 4,194,304 rows of a push are compared.',
    }),
    errors: Type.Array(RowError, { description: 'The first of the rejected rows, by index.' }),
  },
  { title: 'Receipt', description: 'The outcome of one push.' },
)

export type ReceiptAnswer = Static<typeof ReceiptAnswer>

export const CheckAnswer = Type.Object(
  {
    rows: Type.Integer({ description: 'Rows that were checked.' }),
    stored: Type.Integer({ description: 'Rows that would be stored.' }),
    rejected: Type.Integer({ description: 'Rows that would be rejected.' }),
    errors: Type.Array(CheckedRow, { description: 'All rows that would be rejected, by index.' }),
    hints: Type.Optional(
      Type.Array(Type.Object({ index, field: Type.String(), message: Type.String() }), {
        description:
          'Likely mistakes in valid rows: the first time that looks like seconds and is read as milliseconds, within the first 100 rows and 64 KiB, not in lines. Left out if there is none.',
      }),
    ),
  },
  { description: 'The receipt that a push of these rows would get now.' },
)

export type CheckAnswer = Static<typeof CheckAnswer>

export const Accepted = Type.Object(
  { batch: Type.String({ description: 'The id of the push, for its receipt.' }), rows: Type.Integer() },
  { description: 'The rows are on disk.', examples: [{ batch: 'b1', rows: 2 }] },
)

export type Accepted = Static<typeof Accepted>

/** The receipt is returned if `wait=true` and the rows became queryable in time. */
export const PushAnswer = Type.Union([Accepted, ReceiptAnswer])

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

/** Also handled by `src/http/plain-pushes.ts`. */
export const pushPaths = [
  { url: '/ingests/:ingest/data', operationId: 'push' },
  { url: '/ingest/:ingest/data', operationId: 'pushToSingular' },
] as const

/** Pushes of rows, at the path and its alternative spelling. */
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
        admitPush(services, guard.requester(request), request.params.ingest)
        done()
      },
      preValidation,
      handler: async (request, reply) => {
        const answer = await services.pushes.push({
          // Checked again, because a body may take minutes to arrive, and rows for an ingest dropped in the meantime would be lost.
          ...admitPush(services, guard.requester(request), request.params.ingest),
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
