import { RejectedSummaryAnswer } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { OwnParameters, ownProblems, ownRows } from '../own-rows.ts'
import type { Route } from '../route.ts'

export const getOwnSummary: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/rejected/summary',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownRejectedSummary',
      summary: 'Your own rejected rows of an ingest, counted by code and field.',
      security: keySecurity,
      params: OwnParameters,
      response: answers(200, 'The faults.', RejectedSummaryAnswer, ownProblems),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const answer = await parts.services.rejectedRows.summary(of(request))
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}
