import { CreateSubscriber, SubscriberAnswer } from '../../admin/subscriber-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postSubscriber: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/subscribers',
    schema: {
      tags: ['admin'],
      operationId: 'createSubscriber',
      summary: 'Create a subscriber.',
      security: keySecurity,
      body: CreateSubscriber,
      response: answers(201, 'The new subscriber.', SubscriberAnswer, [...bodyProblems, 'conflict']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.create(request.body)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
