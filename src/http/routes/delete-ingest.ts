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
        'It is done at once, without a question. The alias is free afterwards. The rejected rows of the ingest are deleted in any case: ' +
        '`rejected/summary` says how many there are. With `keep`, the entity and its rows stay: they can be queried, and a new ingest may feed ' +
        'them. With `drop`, the entity is deleted too, with everything that it holds. What is deleted cannot be brought back, but from a backup.',
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
