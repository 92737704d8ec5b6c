// What the endpoints under /consumer/data have in common that answer with rows, in any of the formats.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Reader } from '../../admission/reader.ts'
import type { Answer } from '../../answer/whole-answer.ts'
import type { Cancellation } from '../../lib/cancellation.ts'
import type { AnswerFormat } from '../../model/answer-format.ts'
import { formatContentType } from '../../model/answer-format.ts'
import type { ProblemCode } from '../../model/problem.ts'
import { acceptFormat, formatFor } from '../accept.ts'
import { sendBody } from '../answer.ts'
import { jsonTypes, readJson } from '../body.ts'
import { optionalKeySecurity, rowsAnswers } from '../document.ts'
import type { RouteParts } from '../route.ts'

export interface RowsQueryText {
  /** The last part of its path. */
  readonly name: string
  readonly summary: string
  /** What the rows of the answer are. */
  readonly rows: string
  /** Besides those that all such endpoints have. */
  readonly problemCodes: readonly ProblemCode[]
}

/** The route without the schema of its body and its handler. */
export function rowsRoute({ name, summary, rows, problemCodes }: RowsQueryText, { settings, guard }: RouteParts) {
  return {
    method: 'POST' as const,
    url: `/consumer/data/${name}`,
    schema: {
      tags: ['consumption'],
      operationId: name,
      summary,
      security: optionalKeySecurity,
      response: rowsAnswers(rows, [...commonProblemCodes, ...problemCodes]),
    },
    onRequest: [guard.consumption, acceptFormat],
    preValidation: readJson({
      limitBytes: settings.limits.queryBodyBytes,
      limitName: 'limits.queryBodyBytes',
      tooLarge: 'query_body_too_large',
      mediaTypes: jsonTypes,
    }),
  }
}

/** Runs a query for a request and sends its answer. */
export async function answerRows(
  name: string,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, settings, guard, inFlight }: RouteParts,
  run: (format: AnswerFormat, cancellation: Cancellation, reader: Reader) => Promise<Answer>,
): Promise<FastifyReply> {
  const cancellation = inFlight.cancellation(reply)
  const startedMs = performance.now()
  const format = formatFor(request.headers.accept)
  const answer = await run(format, cancellation, guard.reader(request))
  releaseAfter(reply, answer)
  const { rows, bytes } = answer
  services.observe({ kind: 'queryAnswered', query: name, rows, bytes, ms: performance.now() - startedMs })
  return sendBody(request, reply, formatContentType(format), answer, settings.limits.sendIdleMs)
}

/** Sent or not: what the answer holds is given back when the response is over. */
export function releaseAfter({ raw }: FastifyReply, answer: Answer): void {
  if (raw.closed) answer.release()
  else raw.once('close', () => answer.release(raw.writableFinished))
}

export const commonProblemCodes = [
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
