import { OwnSubscriptionAnswer } from '../../access/subscriptions.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'

export const getSubscription: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/subscription',
    schema: {
      tags: ['access'],
      operationId: 'subscription',
      summary: "Shows the rights of the request's key.",
      security: keySecurity,
      response: answers(200, 'The subscriber of the key, with its subscriptions.', OwnSubscriptionAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
      ]),
    },
    onRequest: acceptJson,
    handler: async (request, reply) => {
      const answer = services.access.describe(guard.asker(request))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
