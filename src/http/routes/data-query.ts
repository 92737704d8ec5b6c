import { type QueryKind, queryRequests } from '../../query/requests.ts'
import { RowsResponse } from '../../query/responses.ts'
import { sendBody } from '../answer.ts'
import { jsonTypes, readJson } from '../body.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
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
        response: answers(200, text.rows, RowsResponse, problemCodes),
      },
      onRequest: [guard.consumption, acceptJson],
      preValidation: readJson({
        limitBytes: queryBodyBytes,
        limitName: 'limits.queryBodyBytes',
        tooLarge: 'query_body_too_large',
        mediaTypes: jsonTypes,
      }),
      handler: async (request, reply) => {
        const signal = inFlight.signal(reply)
        const startedMs = performance.now()
        const answer = await services.queries.run(kind, request.body, 'json', signal, guard.readable(request))
        const { rows, bytes } = answer
        services.observe({ kind: 'queryAnswered', query: kind, rows, bytes, ms: performance.now() - startedMs })
        return sendBody(request, reply, 'application/json', answer, sendIdleMs)
      },
    })
  }
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
