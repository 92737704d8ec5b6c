import Type from 'typebox'
import { RejectedPageAnswer } from '../../admin/rejected.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { pageProblems, pageQuery, pageRequest } from './admin-request.ts'

const filters = {
  batch: Type.Optional(Type.String({ description: 'Only the rows of this push.' })),
  /** One of the codes that the rows themselves have. */
  code: Type.Optional(RejectedPageAnswer.properties.Items.items.properties.code),
}

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
      querystring: pageQuery(filters),
      response: answers(200, 'A page of rejected rows, in the order in which they were accepted.', RejectedPageAnswer, [
        ...pageProblems,
        'ingest_not_found',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const { batch, code } = request.query
      const answer = await services.rejectedAdmin.list(request.params.alias, {
        ...pageRequest(request.query),
        batch,
        code,
      })
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
