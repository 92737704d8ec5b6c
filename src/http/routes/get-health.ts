import Type from 'typebox'
import { sendJson } from '../answer.ts'
import { answers } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

export const getHealth: Route = (app, { settings }) => {
  app.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      tags: ['service'],
      operationId: 'health',
      summary: 'Whether the process is alive.',
      security: [],
      querystring: anyParameters,
      response: answers(200, 'It is.', Type.Object({ live: Type.Boolean() }), ['shutting_down']),
    },
    handler: (request, reply) => sendJson(request, reply, { live: true }, settings.limits.sendIdleMs),
  })
}
