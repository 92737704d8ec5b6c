// Tested by `src/http/druid-queries.test.ts` and `test/acceptance/druid-http.test.ts`.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DruidSqlRequest, readDruidSql } from '../../druid-sql/druid-request.ts'
import { readSqlZone } from '../../druid-sql/question.ts'
import { DruidSqlRequestSchema } from '../../druid-sql/request.ts'
import { formatContentType, formatMediaType } from '../../model/answer-format.ts'
import { type DruidFormat, druidFormats } from '../../model/druid-layout.ts'
import { sendBody } from '../answer.ts'
import { jsonTypes, readJson } from '../body.ts'
import { readDruidContext } from '../druid-context.ts'
import { druidConfig, druidQueryAnswers, druidSchema, nothingMissing } from '../druid-route.ts'
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
        summary: `A query in SQL, as Apache Druid takes it; answers as ${druidFormats.join(', ')}.`,
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
