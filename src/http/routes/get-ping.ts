// Tested by `src/http/line-requests.test.ts`.

import { lineAnswers, lineConfig } from '../line-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

/** The release of InfluxDB whose writes are taken: clients look at it. */
const influxVersion = '1.8.10'

export const getPing: Route = (app) => {
  app.route({
    method: 'GET',
    url: '/ping',
    config: lineConfig,
    schema: {
      tags: ['line protocol'],
      operationId: 'ping',
      summary: 'Whether the process is alive, for InfluxDB clients.',
      security: [],
      querystring: anyParameters,
      response: lineAnswers({ 204: { description: 'It is.', type: 'null' } }, ['shutting_down']),
    },
    handler: async (_request, reply) => reply.code(204).header('X-Influxdb-Version', influxVersion).send(),
  })
}
