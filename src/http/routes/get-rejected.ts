import Type from 'typebox'
import { RejectedPageAnswer } from '../../admin/rejected-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'
import { pageDescription, rejectedFilters } from './rejected-filters.ts'

export const getRejected: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias/rejected',
    schema: {
      tags: ['admin'],
      operationId: 'listRejected',
      summary: 'The rejected rows of an ingest, as they were pushed.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      querystring: pageQuery(rejectedFilters),
      response: answers(200, pageDescription, RejectedPageAnswer, [...pageProblems, 'ingest_not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const { batch, code, field } = request.query
      const filters = { ...pageRequest(request.query), batch, code, field }
      const answer = await services.rejectedAdmin.list(request.params.alias, filters)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
