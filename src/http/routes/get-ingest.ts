import Type from 'typebox'
import { IngestAnswer } from '../../admin/ingest-schemas.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'

export const getIngest: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/ingests/:alias',
    schema: {
      tags: ['admin'],
      operationId: 'showIngest',
      summary: 'One ingest.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      params: Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) }),
      response: answers(200, 'The ingest.', IngestAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'ingest_not_found',
      ]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.ingestAdmin.show(request.params.alias)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
