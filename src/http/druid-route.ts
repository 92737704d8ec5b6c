// Common parts of the paths of Apache Druid.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import type { Reader } from '../admission/reader.ts'
import type { Answer } from '../answer/whole-answer.ts'
import type { CancelSignal } from '../lib/cancellation.ts'
import type { ProblemCode } from '../model/problem.ts'
import { readQueryBody } from './body.ts'
import { answeredByHeader, answers, optionalBasicSecurity } from './document.ts'
import { type DruidContext, readDruidContext } from './druid-context.ts'
import { anyParameters } from './query-parameters.ts'
import type { Route, RouteParts } from './route.ts'
import { answerQuery, commonProblemCodes } from './routes/data-queries.ts'
import type { Services } from './services.ts'

/** Their callers support only Basic authentication, and read errors in Druid's format. */
export const druidConfig = { keySchemes: ['basic'], errorBody: 'druid' } as const

export const druidSchema = { tags: ['druid'], security: optionalBasicSecurity }

const DruidError = Type.Object(
  {
    error: Type.String({ description: 'Mostly `druidException`; a legacy name for errors that older clients know.' }),
    errorCode: Type.String(),
    persona: Type.String({ description: 'The audience: `USER` or `OPERATOR`.' }),
    category: Type.String({ examples: ['INVALID_INPUT'] }),
    errorMessage: Type.String({ description: 'The details of this error, and what to do.' }),
    context: Type.Object({}, { additionalProperties: true, description: '`code` is the code in docs/errors.md.' }),
  },
  { title: 'DruidError', description: "An error as Druid's JSON, with the statuses of all other endpoints." },
)

/** A query in one of Druid's languages. */
interface DruidQuery<Body extends TSchema> {
  /** Its path; a trailing slash is also accepted. */
  readonly url: string
  readonly operationId: string
  readonly summary: string
  readonly body: Body
  /** Describes the response. */
  readonly description: string
  readonly content: Readonly<Record<string, object>>
  /** In addition to those of all queries. */
  readonly problemCodes: readonly ProblemCode[]
  /** Response headers with the query's id, and the context properties that may contain it. */
  readonly ids: Readonly<Record<string, string>>
  readonly read: (body: Static<Body>, bytes: Uint8Array, services: Services) => DruidQuestion
}

/** The query after its body is read. */
interface DruidQuestion {
  readonly context: unknown
  readonly mediaType: string
  /** Headers of a successful response. */
  readonly headers?: Readonly<Record<string, string>>
  readonly run: (context: DruidContext, signal: CancelSignal, reader: Reader) => Promise<Answer>
}

export function druidQuery<Body extends TSchema>(query: DruidQuery<Body>): Route {
  const { url, operationId, summary, body, description, content } = query
  const codes = commonProblemCodes.filter((code) => code !== 'not_acceptable')
  const response = druidAnswers(200, description, content, [...codes, 'query_canceled', ...query.problemCodes])
  return (app, parts) => {
    const bodies = new WeakMap<FastifyRequest, Uint8Array>()
    for (const path of [url, `${url}/`]) {
      app.route({
        method: 'POST',
        url: path,
        config: druidConfig,
        schema: {
          ...{ ...druidSchema, hide: path !== url, operationId, summary, querystring: anyParameters, body },
          response: { ...response, 200: { description, headers: answeredByHeader, content } },
        },
        onRequest: parts.guard.consumption,
        preValidation: readQueryBody(parts.settings, bodies),
        handler: (request, reply) => {
          // The schema has validated the body.
          const question = query.read(request.body as Static<Body>, bodies.get(request)!, parts.services)
          return answerDruid(query, question, request, reply, parts)
        },
      })
    }
  }
}

/** The id is set before the query runs, so that an error response has it too and can be found in the log. */
function answerDruid(
  { operationId: name, ids }: Pick<DruidQuery<TSchema>, 'operationId' | 'ids'>,
  { context: given, mediaType, headers = {}, run }: DruidQuestion,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: RouteParts,
): Promise<FastifyReply> {
  const setIds = (id: string) => reply.headers(Object.fromEntries(Object.keys(ids).map((header) => [header, id])))
  setIds(request.id)
  const context = readDruidContext(given, Object.values(ids))
  const id = context.id ?? request.id
  setIds(id)
  return answerQuery(request, reply, parts, {
    name,
    mediaType,
    run: async (cancellation, reader) => {
      const found = await parts.runningQueries.run(id, reader.id, cancellation, (signal) =>
        run(context, signal, reader),
      )
      // In Druid this header lists segments and intervals missing from the result. There are none.
      reply.headers({ 'X-Druid-Response-Context': '{}', ...headers })
      return found
    },
  })
}

/** Like `answers`, with errors in Druid's format. */
export function druidAnswers(
  status: 200 | 202,
  description: string,
  content: Readonly<Record<string, object>>,
  problemCodes: readonly ProblemCode[],
): Record<number, object> {
  const good = Object.keys(content).length === 0 ? { description, type: 'null' } : { description, content }
  const problems = Object.entries(answers(200, description, null, problemCodes)).filter(([code]) => code !== '200')
  const told = problems.map(([code, answer]) => [
    code,
    { ...answer, content: { 'application/json': { schema: DruidError } } },
  ])
  return { ...Object.fromEntries(told), [status]: good }
}
