import { AsidePage } from '../../admin/set-aside.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'

export const getSetAside: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/set-aside',
    schema: {
      tags: ['admin'],
      operationId: 'listSetAside',
      summary: 'Pushes that were set aside because they ended the judge.',
      security: keySecurity,
      response: answers(200, 'All of them, in the order in which they were accepted.', AsidePage, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'unavailable',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) =>
      sendJson(request, reply, await services.setAsideAdmin.list(), settings.limits.sendIdleMs),
  })
}
