// What the endpoints under /consumer/data have in common that answer with rows, in any of the formats.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import type { Reader } from '../../admission/reader.ts'
import type { Answer } from '../../answer/whole-answer.ts'
import type { Cancellation } from '../../lib/cancellation.ts'
import type { AnswerFormat } from '../../model/answer-format.ts'
import { formatContentType } from '../../model/answer-format.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { acceptFormat, formatFor } from '../accept.ts'
import { addressOf, refuseKeys, takeFormat } from '../address.ts'
import { sendBody } from '../answer.ts'
import { readQueryBody } from '../body.ts'
import { optionalKeySecurity, rowsAnswers } from '../document.ts'
import type { App, RouteParts } from '../route.ts'
import { refuseBody } from './admin-request.ts'

export interface RowsQuery<Body extends TObject> {
  /** The last part of its path. */
  readonly name: string
  readonly summary: string
  /** What the rows of the answer are. */
  readonly rows: string
  /** Besides those that all such endpoints have. */
  readonly problemCodes: readonly ProblemCode[]
  /** What the answer has beside the headers of every answer. */
  readonly headers?: object
  readonly body: Body
  readonly run: (asked: Static<Body>, asking: Asking) => Promise<Answer>
}

/** How, and for whom, a query is asked. */
interface Asking {
  readonly format: AnswerFormat
  readonly cancellation: Cancellation
  readonly reader: Reader
}

/** The two routes of a query, which differ in where the question stands: in a body, or in the address. */
export function rowsRoutes<Body extends TObject>(app: App, parts: RouteParts, query: RowsQuery<Body>): void {
  const { settings, guard } = parts
  const { name, summary, body } = query
  const url = `/consumer/data/${name}`
  const schema = { tags: ['consumption'], operationId: name, summary, security: optionalKeySecurity }
  const { querystring, read } = addressOf(body)
  app.route({
    method: 'GET',
    url,
    schema: {
      ...schema,
      operationId: `${name}-by-address`,
      description: 'The same as the POST, whose properties are the parameters of the address.',
      querystring,
      response: responsesOf(query, ['body_too_large']),
    },
    onRequest: [refuseKeys, guard.consumption, takeFormat, acceptFormat],
    preValidation: [refuseBody(settings), read],
    handler: (request, reply) => {
      const { format: _, ...asked } = request.query as Static<Body> & { readonly format?: AnswerFormat }
      return answerRows(query, asked as Static<Body>, request, reply, parts)
    },
  })
  app.route({
    method: 'POST',
    url,
    schema: { ...schema, body, response: responsesOf(query) },
    onRequest: [guard.consumption, acceptFormat],
    preValidation: readQueryBody(settings),
    handler: (request, reply) => answerRows(query, request.body as Static<Body>, request, reply, parts),
  })
}

function responsesOf<Body extends TObject>(
  { rows, problemCodes, headers }: RowsQuery<Body>,
  others: readonly ProblemCode[] = [],
): Record<number, object> {
  const responses = rowsAnswers(rows, [...commonProblemCodes, ...problemCodes, ...others])
  return headers === undefined ? responses : { ...responses, 200: { ...responses[200], headers } }
}

function answerRows<Body extends TObject>(
  { name, run }: RowsQuery<Body>,
  asked: Static<Body>,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: RouteParts,
): Promise<FastifyReply> {
  const format = formatFor(request.headers.accept)
  return answerQuery(request, reply, parts, {
    name,
    mediaType: formatContentType(format),
    run: (cancellation, reader) => run(asked, { format, cancellation, reader }),
  })
}

interface AskedQuery {
  /** In the log and the metrics. */
  readonly name: string
  readonly mediaType: string
  readonly run: (cancellation: Cancellation, reader: Reader) => Promise<Answer>
}

/** Runs a query for a request and sends its answer. Sent or not: what the answer holds is given back when the response is over. */
export async function answerQuery(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, settings, guard, inFlight }: RouteParts,
  { name, mediaType, run }: AskedQuery,
): Promise<FastifyReply> {
  const { raw } = reply
  const startedMs = performance.now()
  const answer = await run(inFlight.cancellation(reply), guard.reader(request))
  if (raw.closed) answer.release()
  else raw.once('close', () => answer.release(raw.writableFinished))
  const { rows, bytes } = answer
  services.observe({ kind: 'queryAnswered', query: name, rows, bytes, ms: performance.now() - startedMs })
  return sendBody(request, reply, mediaType, answer, settings.limits.sendIdleMs)
}

export const commonProblemCodes = [
  'rows_expired',
  'invalid_request',
  'invalid_json',
  'invalid_body',
  'forbidden',
  'not_acceptable',
  'query_body_too_large',
  'result_too_large',
  'unsupported_media_type',
  'damaged_data',
  'overloaded',
  'unavailable',
  'query_timeout',
  'shutting_down',
] as const
