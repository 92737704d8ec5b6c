import { StoragePage } from '../../admin/storage.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

export const getStorage: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'GET',
    url: '/admin/storage',
    schema: {
      tags: ['admin'],
      operationId: 'listStorage',
      summary: 'How many files, rows and bytes each entity has on disk, by name.',
      description:
        'Needs a key with the right `observe` or `admin`. On a cluster the numbers are those of the segments in Druid.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of entities.', StoragePage, [...pageProblems, 'overloaded', 'unavailable']),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.storageList.list(pageRequest(request.query), inFlight.signal(reply))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
