import { DescriptionsAnswer, DescriptionsRequest } from '../../metadata/schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postMetadataDescriptions: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/consumer/metadata',
    schema: {
      tags: ['consumption'],
      operationId: 'metadata',
      summary: 'The metadata entities, with their fields.',
      security: optionalKeySecurity,
      body: DescriptionsRequest,
      response: answers(
        200,
        'The descriptions in the order of the request, each once. For `[]`, all that the caller may read, by name.',
        DescriptionsAnswer,
        [...bodyProblems, 'unknown_entity', 'unavailable'],
      ),
    },
    onRequest: [guard.consumption, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const descriptions = await services.metadata.describe(request.body, guard.readable(request))
      return sendJson(request, reply, descriptions, settings.limits.sendIdleMs)
    },
  })
}
