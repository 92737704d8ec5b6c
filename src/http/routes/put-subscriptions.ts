import Type from 'typebox'
import { PutSubscriptions, SubscriptionPage } from '../../admin/subscriber-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const putSubscriptions: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PUT',
    url: '/admin/subscribers/:name/subscriptions',
    schema: {
      tags: ['admin'],
      operationId: 'putSubscriptions',
      summary: 'Replace all subscriptions of a subscriber.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      body: PutSubscriptions,
      response: answers(200, 'The subscriptions as they are now.', SubscriptionPage, [...bodyProblems, 'not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.putSubscriptions(request.params.name, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
