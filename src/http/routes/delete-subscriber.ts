import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, refuseBody } from './admin-request.ts'

export const deleteSubscriber: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/subscribers/:name',
    schema: {
      tags: ['admin'],
      operationId: 'deleteSubscriber',
      summary: 'Delete a subscriber; its keys are revoked at once.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
    },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.subscriberAdmin.delete(request.params.name)
      return reply.code(204).send()
    },
  })
}
