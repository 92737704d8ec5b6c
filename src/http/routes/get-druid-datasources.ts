// Tested by `src/http/druid-requests.test.ts`.

import Type from 'typebox'
import { sendJson } from '../answer.ts'
import { druidAnswers, druidConfig, druidSchema } from '../druid-route.ts'
import { acceptJson } from '../guard.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

const problemCodes = ['forbidden', 'not_acceptable', 'shutting_down'] as const

const Names = Type.Array(Type.String(), { examples: [['plant']] })

export const getDruidDatasources: Route = (app, { services, settings, guard }) => {
  for (const url of ['/druid/v2/datasources', '/druid/v2/datasources/']) {
    app.route({
      method: 'GET',
      url,
      config: druidConfig,
      schema: {
        ...druidSchema,
        hide: url.endsWith('/'),
        operationId: 'druid-datasources',
        summary: 'The entities that the caller may read, by name, as Apache Druid lists its data sources.',
        querystring: anyParameters,
        response: druidAnswers(200, 'Their names.', { 'application/json': { schema: Names } }, problemCodes),
      },
      onRequest: [guard.consumption, acceptJson],
      handler: (request, reply) => {
        const mayRead = guard.readable(request)
        const names = services.definitions.entities().map(({ name }) => name)
        return sendJson(request, reply, names.filter(mayRead).sort(), settings.limits.sendIdleMs)
      },
    })
  }
}
