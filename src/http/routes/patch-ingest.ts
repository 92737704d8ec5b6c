import Type from 'typebox'
import { ChangeIngest, IngestAnswer } from '../../admin/ingest-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const patchIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PATCH',
    url: '/admin/ingests/:alias',
    schema: {
      tags: ['admin'],
      operationId: 'changeIngest',
      summary: 'Block or activate an ingest, or add fields to it.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: ChangeIngest,
      response: answers(200, 'The ingest as it is now.', IngestAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.change(request.params.alias, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
