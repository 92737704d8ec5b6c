import type { QueryKind } from '../../model/query-kind.ts'
import { queryRequests } from '../../query/requests.ts'
import type { Route } from '../route.ts'
import { answerRows, rowsRoute } from './rows-query.ts'

/** The endpoint of one of the eight data queries. */
export function dataQuery(kind: QueryKind, text: { readonly summary: string; readonly rows: string }): Route {
  return (app, context) => {
    const problemCodes = ['unknown_entity', 'too_many_buckets'] as const
    const { schema, ...route } = rowsRoute({ name: kind, ...text, problemCodes }, context)
    app.route({
      ...route,
      schema: { ...schema, body: queryRequests[kind] },
      handler: (request, reply) =>
        answerRows(kind, request, reply, context, (format, cancellation, reader) =>
          context.services.queries.run({ kind, request: request.body, format }, cancellation, reader),
        ),
    })
  }
}
