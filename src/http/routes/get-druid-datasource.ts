// Tested by `src/http/druid-requests.test.ts`.

import Type from 'typebox'
import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { druidAnswers, druidConfig, druidSchema } from '../druid-route.ts'
import { acceptJson } from '../guard.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'

const problemCodes = ['forbidden', 'not_found', 'not_acceptable', 'shutting_down'] as const

const Columns = Type.Object({
  dimensions: Type.Array(Type.String(), { description: 'Tags and dimensions.' }),
  metrics: Type.Array(Type.String()),
})

export const getDruidDatasource: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/druid/v2/datasources/:name',
    config: druidConfig,
    schema: {
      ...druidSchema,
      operationId: 'druid-datasource',
      summary: 'The columns of one entity, as Apache Druid describes a data source.',
      params: Type.Object({ name: Type.String({ description: 'The name of the entity.' }) }),
      querystring: anyParameters,
      response: druidAnswers(200, 'Its columns.', { 'application/json': { schema: Columns } }, problemCodes),
    },
    onRequest: [guard.consumption, acceptJson],
    handler: (request, reply) => {
      const { name } = request.params
      const entity = guard.readable(request)(name) ? services.definitions.entity(name) : undefined
      if (entity === undefined) throw new Problem('not_found', `There is no data source "${name}" to be read.`)
      const fields = entity.fields.filter(({ role }) => role !== 'time')
      const [metrics, dimensions] = [true, false].map((isMetric) =>
        fields.filter(({ role }) => (role === 'metric') === isMetric).map((field) => field.name),
      )
      return sendJson(request, reply, { dimensions, metrics }, settings.limits.sendIdleMs)
    },
  })
}
