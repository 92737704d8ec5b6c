import { sendBody } from '../answer.ts'
import { keySecurity } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

export const getMetrics: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      tags: ['service'],
      operationId: 'metrics',
      summary: 'Counters and timings, in the format of Prometheus.',
      description: 'Needs a key with the right `observe` or `admin`, unless `access.metrics` is `public`.',
      security: [{}, ...keySecurity],
      querystring: anyParameters,
      response: { 200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } } },
    },
    onRequest: guard.metrics,
    handler: async (request, reply) => {
      const chunk = Buffer.from(await services.metrics.text())
      const body = { bytes: chunk.length, chunks: [chunk] }
      return sendBody(request, reply, services.metrics.contentType, body, settings.limits.sendIdleMs)
    },
  })
}
