import { RejectedPageAnswer } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { OwnParameters, ownProblems, ownRows } from '../own-rows.ts'
import type { Route } from '../route.ts'
import { pageQuery, pageRequest } from './admin-request.ts'
import { pageDescription, rejectedFilters } from './rejected-filters.ts'

export const getOwnRejected: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/rejected',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownRejected',
      summary: 'Your own rejected rows of an ingest, as they were pushed.',
      security: keySecurity,
      params: OwnParameters,
      querystring: pageQuery(rejectedFilters),
      response: answers(200, pageDescription, RejectedPageAnswer, [...ownProblems, 'invalid_token']),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const { batch, code, field } = request.query
      const filters = { ...pageRequest(request.query), batch, code, field }
      const answer = await parts.services.rejectedRows.list(of(request), filters)
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}
