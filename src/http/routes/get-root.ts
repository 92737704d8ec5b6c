// Tested by `src/http/server.test.ts`.

import { packageVersion } from '../../lib/package-version.ts'
import { chooseType } from '../accept.ts'
import { sendJson } from '../answer.ts'
import { answers } from '../document.ts'
import { anyParameters } from '../query-parameters.ts'
import type { Route } from '../route.ts'
import { ServiceAnswer } from '../service-answer.ts'

/** Who asks for the bare address: a browser goes on to the portal, a program is told what there is. */
export const getRoot: Route = (app, { settings }) => {
  const { basePath } = settings.server
  const { enabled } = settings.portal
  const linked = { docs: '/docs', openapi: '/openapi.json', health: '/healthz', ready: '/readyz', metrics: '/metrics' }
  const paths = Object.entries({ ...(enabled ? { portal: '/portal' } : {}), ...linked })
  const links = Object.fromEntries(paths.map(([name, path]) => [name, basePath + path]))
  app.route({
    method: 'GET',
    url: '/',
    prefixTrailingSlash: 'no-slash',
    schema: {
      tags: ['service'],
      operationId: 'service',
      summary: 'Names the service and the paths of its parts. A browser is sent to the portal.',
      security: [],
      querystring: anyParameters,
      response: answers(200, 'The service.', ServiceAnswer, ['shutting_down']),
    },
    handler: (request, reply) => {
      reply.header('Vary', 'Accept')
      const wished = chooseType(request.headers.accept, ['application/json', 'text/html'])
      if (enabled && wished === 'text/html') return reply.redirect(`${basePath}/portal`, 302)
      const answer = { service: 'tidemark', version: packageVersion, links }
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
