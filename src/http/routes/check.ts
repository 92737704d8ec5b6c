import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { CheckRequest } from '../../ingest/push-check.ts'
import type { Ingest } from '../../model/ingest.ts'
import { type LinePrecision, lineFormatOf, lineMediaType, linePrecisions } from '../../model/line-format.ts'
import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { mediaTypeOf, pushTypes } from '../body.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { admitPush, PushBody, PushParameters, pushedRows, pushProblems, readPushBody } from '../pushed-rows.ts'
import type { Route } from '../route.ts'
import { schemaCompiler } from '../validation.ts'
import { CheckAnswer } from './pushes.ts'

const Query = Type.Object(
  {
    precision: Type.Optional(
      Type.Enum(['', ...linePrecisions], {
        description: 'The unit of the times in a body of lines (text/plain); nanoseconds if missing or empty.',
      }),
    ),
  },
  { additionalProperties: false },
)

const CheckBody = {
  content: {
    ...PushBody.content,
    [lineMediaType]: {
      schema: Type.String({
        description: 'Lines of line protocol.',
        examples: ['boiler,T=a.temp V=1.5 1767225600000000000'],
      }),
    },
  },
}

/** Validates the rows of a push without storing them. */
export const postCheck: Route = (app, parts) => {
  const { services, guard, settings } = parts
  app.route({
    method: 'POST',
    url: '/ingests/:ingest/check',
    schema: {
      tags: ['ingestion'],
      operationId: 'checkRows',
      summary: 'Validate rows, and store nothing.',
      description:
        "The body is that of a push, or lines (text/plain), with at most limits.checkRows rows. The rows are validated like those of a push, against the current fields, and not kept. They count toward the key's limits as if they were pushed.",
      security: keySecurity,
      params: PushParameters,
      querystring: Query,
      body: CheckBody,
      response: answers(200, 'The receipt that a push would get.', CheckAnswer, [...pushProblems, 'not_acceptable']),
    },
    validatorCompiler: (route) => (route.httpPart === 'body' ? () => true : schemaCompiler(route)),
    onRequest: [
      (request, _reply, done) => {
        admitPush(services, guard.requester(request), request.params.ingest)
        done()
      },
      acceptJson,
    ],
    preValidation: readPushBody(parts, [...pushTypes, lineMediaType]),
    handler: async (request, reply) => {
      const { keyId, ingest } = admitPush(services, guard.requester(request), request.params.ingest)
      const answer = await services.pushCheck.check({ keyId, ingest, ...checkedRows(request, ingest) })
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

type Asked = Pick<FastifyRequest, 'body' | 'headers'> & { readonly query: { readonly precision?: LinePrecision | '' } }

function checkedRows(request: Asked, { lines }: Ingest): Pick<CheckRequest, 'body' | 'format'> {
  const precision = request.query.precision || undefined
  const rows = pushedRows(request)
  if (mediaTypeOf(request.headers['content-type']) === lineMediaType)
    return { ...rows, format: lineFormatOf(precision ?? 'ns', lines !== undefined) }
  if (precision === undefined) return rows
  throw new Problem(
    'invalid_request',
    `precision is the unit of the times of lines, and this body is JSON. Send lines as ${lineMediaType}, or leave precision out.`,
  )
}
