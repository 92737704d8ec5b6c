import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, refuseBody } from './admin-request.ts'

export const deleteIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/ingests/:alias',
    schema: {
      tags: ['admin'],
      operationId: 'deleteIngest',
      summary: 'Delete an ingest, and its data if you ask for that.',
      description:
        'The alias is free afterwards, and the rejected rows of the ingest are gone: `rejected/summary` says how many there are. With `keep`, the entity ' +
        'and its rows stay: they can be queried, and a new ingest may feed them. With `drop`, the entity is deleted with everything that it holds, ' +
        'and cannot be brought back.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: Type.Object(
        {
          data: Type.Optional(
            Type.Enum(['keep', 'drop'], {
              description: 'What becomes of the entity; `keep` by default.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'ingest_not_found', 'conflict']),
    },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.ingestAdmin.delete(request.params.alias, request.query.data ?? 'keep')
      return reply.code(204).send()
    },
  })
}
