import { EntitiesResponse } from '../../query/responses.ts'
import { sendJson } from '../answer.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'
import { listProblems } from './admin-request.ts'

export const getEntities: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'GET',
    url: '/consumer/data/entities',
    schema: {
      tags: ['consumption'],
      operationId: 'entities',
      summary: 'The entities that can be queried, with their fields.',
      security: optionalKeySecurity,
      querystring: anyParameters,
      response: answers(200, 'The entities that the caller may read, by name.', EntitiesResponse, listProblems),
    },
    onRequest: [guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const entities = await services.entityList.list(inFlight.signal(reply), guard.reader(request))
      return sendJson(request, reply, entities, settings.limits.sendIdleMs)
    },
  })
}
