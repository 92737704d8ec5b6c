import Type from 'typebox'
import { ReplayAnswer, ReplayRequest } from '../../admin/replay-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, bodyMayBeLeftOut, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postReplay: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'POST',
    url: '/admin/ingests/:alias/rejected/replay',
    schema: {
      ...bodyMayBeLeftOut,
      tags: ['admin'],
      operationId: 'replayRejected',
      summary: 'Validate rejected rows again: some by their ids, or all, changed or for another ingest.',
      description:
        'Rows that are valid by the current fields are stored and leave the list. They keep the order of their first push; rows that go `into` another ingest count as pushed now. The others stay, with their new reason; rows that were changed, or sent to another ingest, keep their old reason. A request without a body replays all rejected rows of the ingest. It is safe to repeat.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      body: ReplayRequest,
      response: answers(200, 'The replay is over.', ReplayAnswer, [
        ...bodyProblems,
        'ingest_not_found',
        'overloaded',
        'unavailable',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings, { whenEmpty: '{}' }),
    handler: async (request, reply) => {
      const signal = inFlight.signal(reply)
      const answer = await services.rejectedAdmin.replay(request.params.alias, request.body, signal)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
