import { Problem } from '../../model/problem.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import { ReadinessAnswer, stateAlone } from '../readiness.ts'
import type { Route } from '../route.ts'

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
  return `The service is not ready${names}. Ask again in a moment. A key with the right \`observe\` sees the reason.`
}
