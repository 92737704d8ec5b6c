import Type from 'typebox'
import { CreatedKey, CreateKey } from '../../admin/subscriber-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postKey: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/subscribers/:name/keys',
    schema: {
      tags: ['admin'],
      operationId: 'createKey',
      summary: 'Create a key for a subscriber.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      body: CreateKey,
      response: answers(201, 'The new key. This answer is the only one that shows it.', CreatedKey, [
        ...bodyProblems,
        'not_found',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.createKey(request.params.name, request.body)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
