import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'

export const deleteMetadataItem: Route = (app, { services, guard }) => {
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
      response: answers(204, 'The item is gone for readers.', null, [
        'invalid_request',
        'forbidden',
        'table_not_found',
        'not_found',
        'unavailable',
        'shutting_down',
      ]),
    },
    onRequest: guard.admin,
    handler: async (request, reply) => {
      await services.itemAdmin.delete(request.params.table, request.params.id)
      return reply.code(204).send()
    },
  })
}
