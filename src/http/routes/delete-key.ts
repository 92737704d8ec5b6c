import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, refuseBody } from './admin-request.ts'

export const deleteKey: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/keys/:id',
    schema: {
      tags: ['admin'],
      operationId: 'deleteKey',
      summary: 'Revoke a key at once.',
      security: keySecurity,
      params: Type.Object({ id: Type.String({ description: 'The id of the key.' }) }),
      response: answers(204, 'It is revoked.', null, [...noBodyProblems, 'not_found']),
    },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.subscriberAdmin.deleteKey(request.params.id)
      return reply.code(204).send()
    },
  })
}
