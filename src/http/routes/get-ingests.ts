import { IngestPage } from '../../admin/ingest-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

export const getIngests: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests',
    schema: {
      tags: ['admin'],
      operationId: 'listIngests',
      summary: 'All ingests, by alias.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of ingests.', IngestPage, [...pageProblems]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
