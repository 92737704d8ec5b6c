import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'

export const deleteKey: Route = (app, { services, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/keys/:id',
    schema: {
      tags: ['admin'],
      operationId: 'deleteKey',
      summary: 'Revoke a key at once.',
      security: keySecurity,
      params: Type.Object({ id: Type.String({ description: 'The id of the key.' }) }),
      response: answers(204, 'It is revoked.', null, ['forbidden', 'shutting_down', 'not_found']),
    },
    onRequest: guard.admin,
    handler: async (request, reply) => {
      await services.subscriberAdmin.deleteKey(request.params.id)
      return reply.code(204).send()
    },
  })
}
