import Type from 'typebox'
import { PreviewAnswer, ReplayRequest } from '../../admin/replay-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postReplayPreview: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/ingests/:alias/rejected/replay/preview',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['admin'],
      operationId: 'previewReplay',
      summary: 'Show the outcome of a replay for the first rows, and change nothing.',
      description:
        'The body is that of the replay. Its first rows, at most limits.checkRows and one mebibyte, are changed and validated.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: ReplayRequest,
      response: answers(200, 'The outcome.', PreviewAnswer, [...bodyProblems, 'ingest_not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      const answer = await services.rejectedAdmin.previewReplay(request.params.alias, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
