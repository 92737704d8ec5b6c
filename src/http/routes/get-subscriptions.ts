import Type from 'typebox'
import { SubscriptionPage } from '../../admin/subscriber-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'

export const getSubscriptions: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/subscribers/:name/subscriptions',
    schema: {
      tags: ['admin'],
      operationId: 'listSubscriptions',
      summary: 'The subscriptions of a subscriber.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      response: answers(200, 'All of them.', SubscriptionPage, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'not_found',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.getSubscriptions(request.params.name)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
