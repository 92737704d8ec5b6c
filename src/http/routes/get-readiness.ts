import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { answers } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import { ReadinessAnswer } from '../readiness.ts'
import type { Route } from '../route.ts'

export const getReadiness: Route = (app, { services, settings }) => {
  app.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      tags: ['service'],
      operationId: 'readiness',
      summary: 'Whether traffic may be sent here.',
      security: [],
      querystring: anyParameters,
      response: answers(200, 'It may.', ReadinessAnswer, ['unavailable', 'shutting_down']),
    },
    handler: async (request, reply) => {
      const { reason, ...answer } = services.readiness()
      if (answer.ready) return sendJson(request, reply, answer, settings.limits.sendIdleMs)
      throw new Problem('unavailable', reason ?? 'The service is not ready yet. Ask again in a moment.')
    },
  })
}
