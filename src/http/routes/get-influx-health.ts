// Tested by `src/http/line-requests.test.ts`.

import Type from 'typebox'
import { packageVersion } from '../../lib/package-version.ts'
import { sendJson } from '../answer.ts'
import { lineAnswers, lineConfig } from '../line-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

const InfluxHealth = Type.Object({
  name: Type.String(),
  status: Type.Enum(['pass', 'fail']),
  message: Type.String(),
  version: Type.String(),
  checks: Type.Array(Type.Unknown()),
})

const content = { 'application/json': { schema: InfluxHealth } }

export const getInfluxHealth: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/health',
    config: lineConfig,
    schema: {
      tags: ['line protocol'],
      operationId: 'influxHealth',
      summary: 'Whether traffic may be sent here, for InfluxDB clients.',
      security: [],
      querystring: anyParameters,
      response: lineAnswers(
        { 200: { description: 'It may.', content }, 503: { description: 'Not now.', content } },
        [],
      ),
    },
    handler: async (request, reply) => {
      const { ready, reason } = services.readiness()
      const answer = {
        name: 'tidemark',
        status: ready ? 'pass' : 'fail',
        message: ready
          ? 'ready for queries and writes'
          : ((guard.mayObserve(request) ? reason : null) ?? 'not ready yet'),
        version: packageVersion,
        checks: [],
      }
      if (!ready) reply.code(503)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
