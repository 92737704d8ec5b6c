// Common parts of the paths of i3X.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { type I3xAnswer, piecesOf } from '../i3x/answers.ts'
import type { I3xCaller } from '../i3x/caller.ts'
import { type ProblemCode, problems } from '../model/problem.ts'
import { sendBody } from './answer.ts'
import { readQueryBody } from './body.ts'
import { answers, optionalKeySecurity } from './document.ts'
import { acceptJson } from './guard.ts'
import type { Route, RouteParts } from './route.ts'
import { bodyProblems, refuseBody } from './routes/admin-request.ts'

export const i3xPath = '/i3x/v1'

export const i3xConfig = { errorBody: 'i3x' } as const

const Detail = Type.Object(
  {
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The details of this error, and what to do.' }),
    code: Type.Optional(Type.String({ description: 'The code of the error in docs/errors.md.' })),
  },
  { title: 'I3xDetail' },
)

const Failure = Type.Object(
  { success: Type.Literal(false), responseDetail: Detail },
  {
    title: 'I3xFailure',
    description: 'An error as i3X writes it. Its status is 401 if a key is required and the request has no valid one.',
  },
)

const partial = { responseDetail: Type.Optional(Detail) }

/** The response to a request for one object. */
export const wholeOf = (result: TSchema) => Type.Object({ success: Type.Boolean(), result, ...partial })

/** The response to a request for several elements or subscriptions, in the order of the request. */
export const bulkOf = (result: TSchema, key: 'elementId' | 'subscriptionId' = 'elementId') =>
  Type.Object({
    success: Type.Boolean({ description: 'Whether all succeeded.' }),
    results: Type.Array(
      Type.Object({
        ...{ success: Type.Boolean(), [key]: Type.String() },
        ...{ result: Type.Optional(result), responseDetail: Type.Optional(Detail) },
      }),
    ),
    ...partial,
  })

const common = [
  ...bodyProblems.filter((code) => code !== 'body_too_large'),
  ...(['query_body_too_large', 'query_timeout', 'result_too_large', 'unavailable'] as const),
] as const

/** The schema of an endpoint; `body` is null when it has no body. */
export function i3xSchema(
  operationId: string,
  summary: string,
  { body = null, result, codes = [] }: { body?: TSchema | null; result: TSchema; codes?: readonly ProblemCode[] },
) {
  const all = [...common, ...codes]
  const success = {
    'application/json': {
      schema: { ...result, title: `${operationId[0]!.toUpperCase()}${operationId.slice(1)}Answer` },
    },
  }
  const failures = Object.entries(answers(200, '', null, all)).filter(([status]) => status !== '200')
  const failed = { 'application/json': { schema: Failure } }
  return {
    ...{ tags: ['i3x'], operationId, summary, security: optionalKeySecurity },
    ...(body === null ? {} : { body }),
    response: {
      200: { description: 'The answer.', content: success },
      206: { description: 'A part of the answer; `responseDetail` says how to request the rest.', content: success },
      ...Object.fromEntries(failures.map(([status, answer]) => [status, { ...answer, content: failed }])),
      401: { description: `\`forbidden\`: ${problems.forbidden.title}.`, content: failed },
    },
  }
}

/** The hooks of an endpoint without a body. */
export const withoutBody = ({ guard, settings }: RouteParts) => ({
  onRequest: [guard.consumption, acceptJson],
  preValidation: [refuseBody(settings)],
})

/** The hooks of an endpoint with a body, whose bytes are stored in `kept`. A stream has a fixed media type, so `Accept` is not checked. */
export function withBody(
  { guard, settings }: RouteParts,
  kept?: WeakMap<FastifyRequest, Uint8Array>,
  isStream = false,
) {
  return {
    onRequest: isStream ? [guard.consumption] : [guard.consumption, acceptJson],
    preValidation: readQueryBody(settings, kept),
  }
}

/** A request with a body, and the function that handles it. */
export interface Posting<Body extends TSchema> {
  readonly id: string
  readonly summary: string
  readonly body: Body
  readonly result: TSchema
  readonly codes?: readonly ProblemCode[]
  readonly answer: (body: Static<Body>, caller: I3xCaller) => I3xAnswer | Promise<I3xAnswer>
}

export function postI3x<Body extends TSchema>(
  app: Parameters<Route>[0],
  parts: RouteParts,
  path: string,
  { id, summary, answer, ...schema }: Posting<Body>,
): void {
  app.route({
    method: 'POST',
    url: i3xPath + path,
    config: i3xConfig,
    schema: i3xSchema(id, summary, schema),
    ...withBody(parts),
    handler: async (request, reply) =>
      // The schema has validated the body.
      sendI3x(request, reply, await answer(request.body as Static<Body>, i3xCaller(request, reply, parts)), parts),
  })
}

export function i3xCaller(request: FastifyRequest, reply: FastifyReply, { guard, inFlight }: RouteParts): I3xCaller {
  return { reader: guard.reader(request), cancellation: inFlight.cancellation(reply) }
}

export function sendI3x(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body }: I3xAnswer,
  { settings }: RouteParts,
): Promise<FastifyReply> {
  const chunks = piecesOf(body, settings.limits.resultBytes)
  const whole = { bytes: chunks.reduce((sum, { length }) => sum + length, 0), chunks }
  reply.code(status).header('Cache-Control', 'no-store')
  return sendBody(request, reply, 'application/json', whole, settings.limits.sendIdleMs, 'gzip')
}
