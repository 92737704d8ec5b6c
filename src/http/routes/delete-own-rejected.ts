import { DiscardAnswer, DiscardRequest } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { OwnParameters, ownRows } from '../own-rows.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const deleteOwnRejected: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'DELETE',
    url: '/ingests/:ingest/rejected',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['ingestion'],
      operationId: 'discardOwnRejected',
      summary: 'Discard your own rejected rows for good: some by their ids, or all.',
      description:
        'Counters and receipts stay as they are. A request without a body discards all your own rejected rows.',
      security: keySecurity,
      params: OwnParameters,
      body: DiscardRequest,
      response: answers(200, 'They are discarded.', DiscardAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    onRequest: [admit, acceptJson],
    preValidation: readAdminBody(parts.settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      // Access is asked for again, for a body may take minutes.
      const answer = await parts.services.rejectedRows.discard(of(request), request.body)
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}
