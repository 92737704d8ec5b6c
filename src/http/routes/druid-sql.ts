// Tested by `src/http/druid-queries.test.ts`, `test/acceptance/druid-http.test.ts`.
import Type from 'typebox'
import { readDruidSql } from '../../druid-sql/druid-request.ts'
import { DruidSqlRequestSchema } from '../../druid-sql/request.ts'
import { readSqlZone } from '../../druid-sql/sql-query.ts'
import { formatContentType, formatMediaType } from '../../model/answer-format.ts'
import { type DruidFormat, druidFormats } from '../../model/druid-layout.ts'
import { Problem } from '../../model/problem.ts'
import { druidAnswers, druidConfig, druidQuery, druidSchema } from '../druid-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

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

export const postDruidSql = druidQuery({
  url: '/druid/v2/sql',
  operationId: 'druid-sql',
  summary: `An SQL query, as in Apache Druid; answers as ${druidFormats.join(', ')}.`,
  body: DruidSqlRequestSchema,
  description: 'The rows, as Druid writes them.',
  content,
  problemCodes: [],
  ids: { 'X-Druid-SQL-Query-Id': 'sqlQueryId', 'X-Druid-Query-Id': 'queryId' },
  read: (body, bytes, { sqlQueries }) => {
    const { question, layout, context } = readDruidSql(body, bytes)
    return {
      context,
      mediaType: mediaTypes[layout.resultFormat],
      ...(layout.header && { headers: { 'X-Druid-SQL-Header-Included': 'yes' } }),
      run: ({ timeoutMs, sqlTimeZone }, signal, reader) => {
        const zone = sqlTimeZone === null ? undefined : readSqlZone(sqlTimeZone, 'context.sqlTimeZone')
        const asked = { timeoutMs, zone, listsFunctions: true, explains: true, format: layout, ...question }
        return sqlQueries.run(asked, signal, reader)
      },
    }
  },
})

const paths = [
  ['/druid/v2/sql/:id', 'druid-sql-cancel'],
  ['/druid/v2/:id', 'druid-cancel'],
] as const

/** Native and SQL queries share one set of ids. */
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
