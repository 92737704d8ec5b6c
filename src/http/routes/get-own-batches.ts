import { batchLimits } from '../../admin/rejected-rows.ts'
import { BatchPageAnswer } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import { OwnParameters, ownProblems, ownRows } from '../own-rows.ts'
import type { Route } from '../route.ts'
import { pageQuery, pageRequest } from './admin-request.ts'

export const getOwnBatches: Route = (app, parts) => {
  const { of, admit } = ownRows(parts)
  app.route({
    method: 'GET',
    url: '/ingests/:ingest/batches',
    schema: {
      tags: ['ingestion'],
      operationId: 'ownBatches',
      summary: 'Your own pushes to an ingest that have, or had, rejected rows.',
      security: keySecurity,
      params: OwnParameters,
      querystring: pageQuery({}, batchLimits),
      response: answers(200, 'A page of pushes, newest first.', BatchPageAnswer, [...ownProblems, 'invalid_token']),
    },
    onRequest: [admit, acceptJson],
    handler: async (request, reply) => {
      const answer = await parts.services.rejectedRows.batches(of(request), pageRequest(request.query))
      return sendJson(request, reply, answer, parts.settings.limits.sendIdleMs)
    },
  })
}
