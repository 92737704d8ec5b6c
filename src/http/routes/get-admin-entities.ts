import { EntityPage } from '../../admin/entities.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

export const getAdminEntities: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/entities',
    schema: {
      tags: ['admin'],
      operationId: 'listEntities',
      summary: 'All entities, by name.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of entities.', EntityPage, [...pageProblems]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.entityAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
