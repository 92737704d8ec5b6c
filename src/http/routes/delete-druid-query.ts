// Tested by `src/http/druid-queries.test.ts`.

import Type from 'typebox'
import { Problem } from '../../model/problem.ts'
import { druidAnswers, druidConfig, druidSchema } from '../druid-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

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
