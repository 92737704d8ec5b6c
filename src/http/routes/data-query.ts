import type { FastifyReply } from 'fastify'
import type { Answer } from '../../query/query-runner.ts'
import { type QueryKind, queryRequests } from '../../query/requests.ts'
import { sendBody } from '../answer.ts'
import { acceptFormat, contentType, formatFor } from '../answer-format.ts'
import { jsonTypes, readJson } from '../body.ts'
import { optionalKeySecurity, rowsAnswers } from '../document.ts'
import type { Route } from '../route.ts'

/** The endpoint of one of the eight data queries. */
export function dataQuery(kind: QueryKind, text: { readonly summary: string; readonly rows: string }): Route {
  return (app, { services, settings, guard, inFlight }) => {
    const { queryBodyBytes, sendIdleMs } = settings.limits
    app.route({
      method: 'POST',
      url: `/consumer/data/${kind}`,
      schema: {
        tags: ['consumption'],
        operationId: kind,
        summary: text.summary,
        security: optionalKeySecurity,
        body: queryRequests[kind],
        response: rowsAnswers(text.rows, problemCodes),
      },
      onRequest: [guard.consumption, acceptFormat],
      preValidation: readJson({
        limitBytes: queryBodyBytes,
        limitName: 'limits.queryBodyBytes',
        tooLarge: 'query_body_too_large',
        mediaTypes: jsonTypes,
      }),
      handler: async (request, reply) => {
        const signal = inFlight.signal(reply)
        const startedMs = performance.now()
        const format = formatFor(request.headers.accept)
        const answer = await services.queries.run(kind, request.body, format, signal, guard.readable(request))
        releaseAfter(reply, answer)
        const { rows, bytes } = answer
        services.observe({ kind: 'queryAnswered', query: kind, rows, bytes, ms: performance.now() - startedMs })
        return sendBody(request, reply, contentType(format), answer, sendIdleMs)
      },
    })
  }
}

/** Sent or not: what the answer holds is given back when the response is over. */
function releaseAfter({ raw }: FastifyReply, answer: Answer): void {
  if (raw.closed) answer.release()
  else raw.once('close', () => answer.release(raw.writableFinished))
}

const problemCodes = [
  'invalid_request',
  'invalid_json',
  'invalid_body',
  'unknown_entity',
  'forbidden',
  'not_acceptable',
  'query_body_too_large',
  'result_too_large',
  'too_many_buckets',
  'unsupported_media_type',
  'overloaded',
  'unavailable',
  'query_timeout',
  'shutting_down',
] as const
