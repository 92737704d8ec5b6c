// The query endpoints under /consumer/data: first the common parts of those that return rows in any of the formats, then each endpoint.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TObject } from 'typebox'
import type { Reader } from '../../admission/reader.ts'
import type { Answer } from '../../answer/whole-answer.ts'
import { NativeQueryRequest } from '../../druid-native/request.ts'
import { SqlQueryRequest } from '../../druid-sql/request.ts'
import type { Cancellation } from '../../lib/cancellation.ts'
import { type AnswerFormat, formatContentType } from '../../model/answer-format.ts'
import type { ProblemCode } from '../../model/problem.ts'
import type { QueryKind } from '../../model/query-kind.ts'
import { queryRequests } from '../../query/requests.ts'
import { acceptFormat, formatFor } from '../accept.ts'
import { addressOf, refuseKeys, takeFormat } from '../address.ts'
import { sendBody } from '../answer.ts'
import { readQueryBody } from '../body.ts'
import { answeredByHeader, answers, optionalKeySecurity, rowsAnswers } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { App, Route, RouteParts } from '../route.ts'
import { refuseBody } from './admin-request.ts'

interface RowsQuery<Body extends TObject> {
  /** The last segment of its path. */
  readonly name: string
  readonly summary: string
  /** Describes the rows of the response. */
  readonly rows: string
  /** In addition to those of all such endpoints. */
  readonly problemCodes: readonly ProblemCode[]
  /** Response headers in addition to the common ones. */
  readonly headers?: object
  readonly body: Body
  readonly run: (asked: Static<Body>, asking: QueryRun) => Promise<Answer>
}

/** The format of a query's response, its cancellation and its reader. */
interface QueryRun {
  readonly format: AnswerFormat
  readonly cancellation: Cancellation
  readonly reader: Reader
}

/** The two routes of a query: with its parameters in a body, or in the address. */
function rowsRoutes<Body extends TObject>(app: App, parts: RouteParts, query: RowsQuery<Body>): void {
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

interface QueryToRun {
  /** The query's name in the log and the metrics. */
  readonly name: string
  readonly mediaType: string
  readonly run: (cancellation: Cancellation, reader: Reader) => Promise<Answer>
}

/** Runs a query for a request and sends its result, whose resources are released when the response ends, sent or not. */
export async function answerQuery(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, settings, guard, inFlight }: RouteParts,
  { name, mediaType, run }: QueryToRun,
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

/** The endpoint of one kind of data query. */
function dataQuery(kind: QueryKind, text: { readonly summary: string; readonly rows: string }): Route {
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

/** The same endpoint under two names. */
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
