import Type from 'typebox'
import { SettingPage } from '../../admin/setting-schemas.ts'
import { StoragePage } from '../../admin/storage.ts'
import { Problem } from '../../model/problem.ts'
import { sendBody, sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import { ReadinessAnswer, stateAlone } from '../readiness.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest, readProblems } from './admin-request.ts'
import { adminRoute, observeRoute } from './json-route.ts'

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

export const getReadiness: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      tags: ['service'],
      operationId: 'readiness',
      summary: 'Whether traffic may be sent here.',
      description:
        'Without a key with the right `observe` or `admin` it shows only `ready` and the names in `failing`, unless `access.metrics` is `public`.',
      security: [{}, ...keySecurity],
      querystring: anyParameters,
      response: answers(200, 'It may.', ReadinessAnswer, ['unavailable', 'shutting_down']),
    },
    onRequest: guard.state,
    handler: async (request, reply) => {
      const readiness = services.readiness()
      const { reason, ...told } = readiness
      const mayObserve = guard.mayObserve(request)
      const answer = mayObserve ? told : stateAlone(readiness)
      if (answer.ready) return sendJson(request, reply, answer, settings.limits.sendIdleMs)
      throw new Problem('unavailable', mayObserve && reason !== null ? reason : notReady(stateAlone(readiness).failing))
    },
  })
}

function notReady(failing: readonly string[]): string {
  const names = failing.length === 0 ? '' : ` (${failing.join(', ')})`
  return `The service is not ready${names}. Retry in a moment. A key with the right \`observe\` sees the reason.`
}

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

export const getStorage = observeRoute({
  method: 'GET',
  url: '/admin/storage',
  operationId: 'listStorage',
  summary: 'How many files, rows and bytes each entity has on disk, by name.',
  description:
    'Needs a key with the right `observe` or `admin`. On a cluster the numbers are those of the segments in Druid.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of entities.', StoragePage, [...pageProblems, 'overloaded', 'unavailable']),
  answer: ({ query }, { services, inFlight }, reply) =>
    services.storageList.list(pageRequest(query), inFlight.signal(reply)),
})

export const getSettings = adminRoute({
  method: 'GET',
  url: '/admin/settings',
  operationId: 'listSettings',
  summary: 'The settings of the process that answers.',
  description: 'Needs a key with the right `admin`. All are on one page. No secret is shown.',
  response: answers(200, 'All settings.', SettingPage, readProblems),
  answer: (_request, { services }) => ({ Items: services.settingsInForce(), NextToken: null }),
})
