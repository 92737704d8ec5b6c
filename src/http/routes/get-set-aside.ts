import { AsidePage } from '../../admin/set-aside.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

export const getSetAside: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/set-aside',
    schema: {
      tags: ['admin'],
      operationId: 'listSetAside',
      summary: 'Pushes in quarantine because they crashed validation.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of pushes, in the order in which they were accepted.', AsidePage, [
        ...pageProblems,
      ]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.setAsideAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
