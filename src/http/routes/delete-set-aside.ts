import Type from 'typebox'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, refuseBody } from './admin-request.ts'

export const deleteSetAside: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/set-aside/:id',
    schema: {
      tags: ['admin'],
      operationId: 'letGoSetAside',
      summary: 'Delete the body of a push in quarantine. Its rows stay in the list of rejected rows.',
      security: keySecurity,
      params: Type.Object({ id: Type.String({ description: 'The id in the list.' }) }),
      response: answers(204, 'The body is deleted.', null, [...noBodyProblems, 'not_found', 'unavailable']),
    },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.setAsideAdmin.letGo(request.params.id)
      return reply.code(204).send()
    },
  })
}
