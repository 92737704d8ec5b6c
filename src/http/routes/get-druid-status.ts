// Tested by `src/http/druid-requests.test.ts`.

import Type from 'typebox'
import { sendJson } from '../answer.ts'
import { druidAnswers, druidConfig, druidSchema } from '../druid-route.ts'
import { acceptJson } from '../guard.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

/** The release of Druid whose answers these paths give: tools look at it before they ask for what newer ones have. */
const druidVersion = '33.0.0'

const DruidStatus = Type.Object(
  { version: Type.String(), modules: Type.Array(Type.Unknown()), memory: Type.Object({}) },
  { description: 'The version of Druid whose answers are given.' },
)

export const getDruidStatus: Route = (app, { settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/status',
    config: druidConfig,
    schema: {
      ...druidSchema,
      operationId: 'druid-status',
      summary: 'The status of Apache Druid, as far as tools read it.',
      querystring: anyParameters,
      response: druidAnswers(200, 'The status.', { 'application/json': { schema: DruidStatus } }, [
        'forbidden',
        'not_acceptable',
        'shutting_down',
      ]),
    },
    onRequest: [guard.consumption, acceptJson],
    handler: (request, reply) =>
      sendJson(request, reply, { version: druidVersion, modules: [], memory: {} }, settings.limits.sendIdleMs),
  })
}
