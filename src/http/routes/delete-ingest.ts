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
      summary: 'Delete an ingest, and optionally its data.',
      description:
        'The ingest is deleted at once, without a confirmation, and its alias is free again. Its rejected rows are always deleted: `rejected/summary` counts them. With `keep`, the entity and its rows stay: they can be queried, and a new ingest may feed the entity. With `drop`, the entity is deleted too, with all its data. Only a backup can bring deleted data back.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: Type.Object(
        {
          data: Type.Optional(
            Type.Enum(['keep', 'drop'], {
              description: 'Whether the entity stays; `keep` by default.',
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
