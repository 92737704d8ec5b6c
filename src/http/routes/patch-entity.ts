import Type from 'typebox'
import { ChangeEntity, EntityAnswer } from '../../admin/entities.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const patchEntity: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PATCH',
    url: '/admin/entities/:entity',
    schema: {
      tags: ['admin'],
      operationId: 'changeEntity',
      summary: 'Set the retention of an entity.',
      description:
        'Items that are already older expire at once, without a confirmation, in whole UTC days. After the answer they are no longer shown. A longer retention does not bring them back: only a backup has them.',
      security: keySecurity,
      params: Type.Object({ entity: Type.String({ description: 'The name of the entity.' }) }),
      body: ChangeEntity,
      response: answers(200, 'The entity as it is now.', EntityAnswer, [...bodyProblems, 'not_found', 'unavailable']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.entityAdmin.change(request.params.entity, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
