// Tested by `src/http/druid-requests.test.ts`.

import Type from 'typebox'
import { sendJson } from '../answer.ts'
import { druidAnswers, druidConfig, druidSchema } from '../druid-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

export const getDruidHealth: Route = (app, { settings }) => {
  app.route({
    method: 'GET',
    url: '/status/health',
    config: druidConfig,
    schema: {
      ...druidSchema,
      security: [],
      operationId: 'druid-health',
      summary: 'Whether the process is alive, as in Apache Druid.',
      querystring: anyParameters,
      response: druidAnswers(200, 'It is.', { 'application/json': { schema: Type.Boolean() } }, ['shutting_down']),
    },
    handler: (request, reply) => sendJson(request, reply, true, settings.limits.sendIdleMs),
  })
}
