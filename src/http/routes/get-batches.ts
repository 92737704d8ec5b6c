import Type from 'typebox'
import { batchLimits } from '../../admin/rejected-rows.ts'
import { BatchPageAnswer } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

export const getBatches: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias/batches',
    schema: {
      tags: ['admin'],
      operationId: 'listBatches',
      summary: 'The pushes to an ingest that have, or had, rejected rows.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: pageQuery({}, batchLimits),
      response: answers(200, 'A page of pushes, newest first.', BatchPageAnswer, [...pageProblems, 'ingest_not_found']),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.batches(request.params.alias, pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
