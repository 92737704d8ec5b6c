import { SubscriberPage } from '../../admin/subscriber-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

export const getSubscribers: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/subscribers',
    schema: {
      tags: ['admin'],
      operationId: 'listSubscribers',
      summary: 'All subscribers with the ids of their keys, by name.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of subscribers.', SubscriberPage, [...pageProblems]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
