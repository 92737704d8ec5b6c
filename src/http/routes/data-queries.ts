import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { NativeQueryRequest } from '../../druid-native/request.ts'
import { SqlQueryRequest } from '../../druid-sql/request.ts'
import type { QueryKind } from '../../model/query-kind.ts'
import { queryRequests } from '../../query/requests.ts'
import { readQueryBody } from '../body.ts'
import { answeredByHeader, answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { answerQuery, commonProblemCodes, rowsRoutes } from './rows-query.ts'

/** The endpoint of one of the data queries. */
export function dataQuery(kind: QueryKind, text: { readonly summary: string; readonly rows: string }): Route {
  return (app, context) => {
    const problemCodes = ['unknown_entity', 'too_many_buckets'] as const
    rowsRoutes(app, context, {
      name: kind,
      ...text,
      problemCodes,
      body: queryRequests[kind],
      run: (request, { format, cancellation, reader }) =>
        context.services.queries.run({ kind, request, format }, cancellation, reader),
    })
  }
}

export const postAverage = dataQuery('average', {
  summary: 'The mean of each metric for each bucket and tag.',
  rows: 'A row for each bucket and tag that has items, ordered by bucket, then tag.',
})

export const postAverageDimensions = dataQuery('average-dimensions', {
  summary: 'The mean of each metric for each bucket, tag and combination of fields.',
  rows: 'A row for each bucket, tag and combination of `fields` that has items, in this order.',
})

export const postAverageGranularity = dataQuery('average-granularity', {
  summary: 'The mean of each metric for each bucket and combination of fields.',
  rows: 'A row for each bucket and combination of `fields` that has items, in this order; all selected tags are pooled.',
})

export const postLast = dataQuery('last', {
  summary: 'The item of each tag before a date.',
  rows: 'An item for each tag that has one, ordered by time, then tag.',
})

export const postLatest = dataQuery('latest', {
  summary: 'The newest item of each tag.',
  rows: 'An item for each tag, ordered by time, then tag.',
})

export const postNext = dataQuery('next', {
  summary: 'The item of each tag after a date.',
  rows: 'An item for each tag that has one, ordered by time, then tag.',
})

export const postSelect = dataQuery('select', {
  summary: 'The items in a range of time.',
  rows: 'The items, ordered by time, then tag, then `fields`.',
})

export const postSnap = dataQuery('snap', {
  summary: 'The state of each tag at each tick.',
  rows: 'An item for each tick and tag, ordered by tick, then tag; the tick is under `snap`.',
})

export const postAggregate = dataQuery('aggregate', {
  summary: 'Aggregates of each metric, of its items and of its value over time, for each bucket and tag.',
  rows: 'A row for each bucket, tag and combination of `fields` in which a value is known or an item lies, in this order.',
})

export const postPlot = dataQuery('plot', {
  summary: 'The items that a chart needs.',
  rows: 'The items, ordered by time, then tag.',
})

export const postStates = dataQuery('states', {
  summary: 'How long each metric had each value, for each bucket and tag.',
  rows: 'A row for each bucket, tag, metric and value: `metric`, `value`, `seconds` and `entries`.',
})

/** One endpoint under two names. */
const names = ['druid-native-query', 'analytics-native-query'] as const

const problemCodes = [...commonProblemCodes, 'unknown_entity', 'unsupported_native_query', 'too_many_buckets'] as const

const description = 'The answer, as in Druid.'

const NativeAnswer = Type.Array(Type.Unknown(), {
  description: "The answer in Druid's own shape for the type of query.",
})

export const postNativeQuery: Route = (app, parts) => {
  const bodies = new WeakMap<FastifyRequest, Uint8Array>()
  for (const name of names) {
    app.route({
      method: 'POST',
      url: `/consumer/data/${name}`,
      schema: {
        tags: ['consumption'],
        operationId: name,
        summary: 'A native query of Apache Druid.',
        security: optionalKeySecurity,
        body: NativeQueryRequest,
        response: {
          ...answers(200, description, NativeAnswer, problemCodes),
          200: { description, headers: answeredByHeader, content: { 'application/json': { schema: NativeAnswer } } },
        },
      },
      onRequest: [parts.guard.consumption, acceptJson],
      preValidation: readQueryBody(parts.settings, bodies),
      handler: async (request, reply) => {
        const query = { bytes: bodies.get(request)!, query: request.body.query_data }
        return answerQuery(request, reply, parts, {
          name,
          mediaType: 'application/json',
          run: (cancellation, reader) => parts.services.nativeQueries.run(query, cancellation, reader),
        })
      },
    })
  }
}

const name = 'sql-query'

export const postSqlQuery: Route = (app, context) => {
  const text = { summary: "A query in Druid's SQL.", rows: 'The rows of the query, under the names of its columns.' }
  rowsRoutes(app, context, {
    name,
    ...text,
    problemCodes: [],
    headers: answeredByHeader,
    body: SqlQueryRequest,
    run: ({ sql_query }, { format, cancellation, reader }) =>
      context.services.sqlQueries.run({ text: sql_query, format }, cancellation, reader),
  })
}
