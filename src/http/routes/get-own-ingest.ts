import { OwnIngestAnswer, ownIngestAnswer } from '../../admin/own-ingest.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { OwnParameters, ownProblems, ownRows } from '../own-rows.ts'
import type { Route } from '../route.ts'

export const getOwnIngest: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  const { definitions } = parts.services
  app.route({
    method: 'GET',
    url: '/ingests/:ingest',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownIngest',
      summary: 'The definition of an ingest, for its senders.',
      description: 'Needs a subscription to the ingest, which may have ended.',
      security: keySecurity,
      params: OwnParameters,
      response: answers(200, 'The ingest.', OwnIngestAnswer, ownProblems),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const { ingest } = of(request)
      const sinceMs = ingest.kind === 'series' ? (definitions.entity(ingest.entity)?.sinceMs ?? null) : null
      return sendJson(request, reply, ownIngestAnswer(ingest, sinceMs), parts.settings.limits.sendIdleMs)
    },
  })
}
