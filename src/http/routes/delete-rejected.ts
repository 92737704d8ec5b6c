import Type from 'typebox'
import { DiscardAnswer, DiscardRequest } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const deleteRejected: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/ingests/:alias/rejected',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['admin'],
      operationId: 'discardRejected',
      summary: 'Discard rejected rows for good: some by their ids, or all.',
      description:
        'Counters and receipts stay as they are. A request without a body discards all rejected rows of the ingest.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: DiscardRequest,
      response: answers(200, 'They are discarded.', DiscardAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.discard(request.params.alias, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
