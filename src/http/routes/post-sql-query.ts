import { SqlQueryRequest } from '../../druid-sql/request.ts'
import { answeredByHeader } from '../document.ts'
import type { Route } from '../route.ts'
import { answerRows, rowsRoute } from './rows-query.ts'

const name = 'sql-query'

export const postSqlQuery: Route = (app, context) => {
  const text = { summary: "A query in Druid's SQL.", rows: 'The rows of the query, under the names of its columns.' }
  const { schema, ...route } = rowsRoute({ name, ...text, problemCodes: [] }, context)
  app.route({
    ...route,
    schema: {
      ...schema,
      body: SqlQueryRequest,
      response: { ...schema.response, 200: { ...schema.response[200], headers: answeredByHeader } },
    },
    handler: (request, reply) =>
      answerRows(name, request, reply, context, (format, cancellation, reader) =>
        context.services.sqlQueries.run({ text: request.body.sql_query, format }, cancellation, reader),
      ),
  })
}
