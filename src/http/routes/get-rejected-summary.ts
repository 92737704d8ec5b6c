import Type from 'typebox'
import { RejectedSummaryAnswer } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'

export const getRejectedSummary: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias/rejected/summary',
    schema: {
      tags: ['admin'],
      operationId: 'rejectedSummary',
      summary: 'The rejected rows of an ingest, counted by code and field.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      response: answers(200, 'The faults.', RejectedSummaryAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'ingest_not_found',
      ]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.summary(request.params.alias)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
