import { CreateIngest, IngestAnswer } from '../../admin/ingest-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/ingests',
    schema: {
      tags: ['admin'],
      operationId: 'createIngest',
      summary: 'Create an ingest.',
      security: keySecurity,
      body: CreateIngest,
      response: answers(201, 'The new ingest.', IngestAnswer, [...bodyProblems, 'conflict']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.create(request.body)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
