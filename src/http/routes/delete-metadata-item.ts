import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, refuseBody } from './admin-request.ts'

export const deleteMetadataItem: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/metadata/:table/items/:id',
    schema: {
      tags: ['admin'],
      operationId: 'deleteMetadataItem',
      summary: 'Delete an item of a metadata entity; pushing it again brings it back.',
      security: keySecurity,
      params: Type.Object({
        table: Type.String({ description: 'The alias of the metadata ingest.' }),
        id: Type.String({ description: 'The identifier of the item.' }),
      }),
      response: answers(204, 'Readers no longer see the item.', null, [
        ...noBodyProblems,
        'table_not_found',
        'not_found',
        'unavailable',
      ]),
    },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.itemAdmin.delete(request.params.table, request.params.id)
      return reply.code(204).send()
    },
  })
}
