// Tested by `src/http/druid-queries.test.ts`, `test/acceptance/druid-http.test.ts`.
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { type DruidSqlRequest, readDruidSql } from '../../druid-sql/druid-request.ts'
import { readSqlZone } from '../../druid-sql/question.ts'
import { DruidSqlRequestSchema } from '../../druid-sql/request.ts'
import { formatContentType, formatMediaType } from '../../model/answer-format.ts'
import { type DruidFormat, druidFormats } from '../../model/druid-layout.ts'
import { Problem } from '../../model/problem.ts'
import { sendBody } from '../answer.ts'
import { jsonTypes, readJson } from '../body.ts'
import { readDruidContext } from '../druid-context.ts'
import { druidAnswers, druidConfig, druidQueryAnswers, druidSchema, nothingMissing } from '../druid-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route, RouteParts } from '../route.ts'
import { commonProblemCodes, releaseAfter } from './rows-query.ts'

const problemCodes = [...commonProblemCodes.filter((code) => code !== 'not_acceptable'), 'query_canceled'] as const

const content = {
  'application/json': { schema: { description: 'An array of objects, or of arrays.' } },
  'text/plain': { schema: { type: 'string', description: 'Lines of them, with an empty line at the end.' } },
}

const mediaTypes: Readonly<Record<DruidFormat, string>> = {
  object: formatContentType('json'),
  array: formatContentType('json'),
  objectLines: 'text/plain',
  arrayLines: 'text/plain',
  csv: formatMediaType('csv'),
}

export const postDruidSql: Route = (app, parts) => {
  const bodies = new WeakMap<FastifyRequest, Uint8Array>()
  const { queryBodyBytes } = parts.settings.limits
  for (const url of ['/druid/v2/sql', '/druid/v2/sql/']) {
    app.route({
      method: 'POST',
      url,
      config: druidConfig,
      schema: {
        ...druidSchema,
        hide: url.endsWith('/'),
        operationId: 'druid-sql',
        summary: `An SQL query, as in Apache Druid; answers as ${druidFormats.join(', ')}.`,
        querystring: anyParameters,
        body: DruidSqlRequestSchema,
        response: druidQueryAnswers('The rows, as Druid writes them.', content, problemCodes),
      },
      onRequest: parts.guard.consumption,
      preValidation: readJson(
        {
          limitBytes: queryBodyBytes,
          limitName: 'limits.queryBodyBytes',
          tooLarge: 'query_body_too_large',
          mediaTypes: jsonTypes,
        },
        bodies,
      ),
      handler: (request, reply) => answer(readDruidSql(request.body, bodies.get(request)!), request, reply, parts),
    })
  }
}

async function answer(
  { question, layout, context }: DruidSqlRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  { services, settings, guard, inFlight, runningQueries }: RouteParts,
): Promise<FastifyReply> {
  const named = (id: string) => reply.header('X-Druid-SQL-Query-Id', id).header('X-Druid-Query-Id', id)
  // A context that is refused has an answer too, by whose id it is found in the log.
  named(request.id)
  const { id, timeoutMs, sqlTimeZone } = readDruidContext(context, ['sqlQueryId', 'queryId'])
  const queryId = id ?? request.id
  named(queryId)
  const startedMs = performance.now()
  const reader = guard.reader(request)
  const zone = sqlTimeZone === null ? undefined : readSqlZone(sqlTimeZone, 'context.sqlTimeZone')
  const asked = { timeoutMs, zone, listsFunctions: true, explains: true, ...question, format: layout }
  const found = await runningQueries.run(queryId, reader.id, inFlight.cancellation(reply), (signal) =>
    services.sqlQueries.run(asked, signal, reader),
  )
  releaseAfter(reply, found)
  const { rows, bytes } = found
  services.observe({ kind: 'queryAnswered', query: 'druid-sql', rows, bytes, ms: performance.now() - startedMs })
  reply.header(...nothingMissing)
  if (layout.header) reply.header('X-Druid-SQL-Header-Included', 'yes')
  return sendBody(request, reply, mediaTypes[layout.resultFormat], found, settings.limits.sendIdleMs)
}

const paths = [
  ['/druid/v2/sql/:id', 'druid-sql-cancel'],
  ['/druid/v2/:id', 'druid-cancel'],
] as const

/** Native queries and those in SQL have their ids in common. */
export const deleteDruidQuery: Route = (app, { guard, runningQueries }) => {
  for (const [url, operationId] of paths) {
    app.route({
      method: 'DELETE',
      url,
      config: druidConfig,
      schema: {
        ...druidSchema,
        operationId,
        summary: 'Cancels a running query, by the id that its caller gave it.',
        params: Type.Object({ id: Type.String({ description: 'The `sqlQueryId` or `queryId` of its context.' }) }),
        querystring: anyParameters,
        response: druidAnswers(202, 'It ends.', {}, [
          'forbidden',
          'not_found',
          'shutting_down',
          'overloaded',
          'unavailable',
        ]),
      },
      onRequest: guard.consumption,
      handler: async (request, reply) => {
        const { id } = request.params
        if (await runningQueries.cancel({ id, readerId: guard.reader(request).id })) return reply.code(202).send()
        throw new Problem('not_found', 'No query of yours runs under this id.')
      },
    })
  }
}
