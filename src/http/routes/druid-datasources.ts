// Tested by `src/http/druid-requests.test.ts`.
import Type from 'typebox'
import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { optionalBasicSecurity } from '../document.ts'
import { druidAnswers, druidConfig, druidSchema } from '../druid-route.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'
import { jsonRoutes } from './json-route.ts'

const druidRoute = jsonRoutes({
  tag: 'druid',
  security: optionalBasicSecurity,
  config: druidConfig,
  admit: ({ guard }) => guard.consumption,
})

const problemCodes = ['forbidden', 'not_acceptable', 'shutting_down'] as const

const Names = Type.Array(Type.String(), { examples: [['plant']] })

const datasources = (url: string): Route =>
  druidRoute({
    method: 'GET',
    url,
    hide: url.endsWith('/'),
    operationId: 'druid-datasources',
    summary: 'The entities that the caller may read, by name, as Apache Druid lists its data sources.',
    querystring: anyParameters,
    response: druidAnswers(200, 'Their names.', { 'application/json': { schema: Names } }, problemCodes),
    answer: (request, { services, guard }) => {
      const names = services.definitions.entities().map(({ name }) => name)
      return names.filter(guard.readable(request)).sort()
    },
  })

export const getDruidDatasources: Route = (app, parts) => {
  for (const url of ['/druid/v2/datasources', '/druid/v2/datasources/']) datasources(url)(app, parts)
}

const Columns = Type.Object({
  dimensions: Type.Array(Type.String(), { description: 'Tags and dimensions.' }),
  metrics: Type.Array(Type.String()),
})

export const getDruidDatasource = druidRoute({
  method: 'GET',
  url: '/druid/v2/datasources/:name',
  operationId: 'druid-datasource',
  summary: 'The columns of one entity, as Apache Druid describes a data source.',
  params: Type.Object({ name: Type.String({ description: 'The name of the entity.' }) }),
  querystring: anyParameters,
  response: druidAnswers(200, 'Its columns.', { 'application/json': { schema: Columns } }, [
    ...problemCodes,
    'not_found',
  ]),
  answer: (request, { services, guard }) => {
    const { name } = request.params
    const entity = guard.readable(request)(name) ? services.definitions.entity(name) : undefined
    if (entity === undefined) throw new Problem('not_found', `There is no readable data source "${name}".`)
    const fields = entity.fields.filter(({ role }) => role !== 'time')
    const [metrics, dimensions] = [true, false].map((isMetric) =>
      fields.filter(({ role }) => (role === 'metric') === isMetric).map((field) => field.name),
    )
    return { dimensions, metrics }
  },
})

/** The Druid release that these paths imitate. Tools read it to find out which features they can use. */
const druidVersion = '33.0.0'

const DruidStatus = Type.Object(
  { version: Type.String(), modules: Type.Array(Type.Unknown()), memory: Type.Object({}) },
  { description: 'The version of Druid whose answers are given.' },
)

export const getDruidStatus = druidRoute({
  method: 'GET',
  url: '/status',
  operationId: 'druid-status',
  summary: 'The status of Apache Druid, as far as tools read it.',
  querystring: anyParameters,
  response: druidAnswers(200, 'The status.', { 'application/json': { schema: DruidStatus } }, problemCodes),
  answer: () => ({ version: druidVersion, modules: [], memory: {} }),
})

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
