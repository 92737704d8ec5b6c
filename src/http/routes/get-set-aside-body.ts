import { Readable } from 'node:stream'
import Type from 'typebox'
import { isLineFormat } from '../../model/line-format.ts'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'

const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  replay: 'application/octet-stream',
} as const

export const getSetAsideBody: Route = (app, { services, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/set-aside/:id/body',
    schema: {
      tags: ['admin'],
      operationId: 'getSetAsideBody',
      summary: 'The body of a push in quarantine, byte for byte.',
      security: keySecurity,
      params: Type.Object({ id: Type.String({ description: 'The id in the list.' }) }),
      response: answers(200, 'The body, as it was pushed, decompressed.', Type.Unknown(), [
        'invalid_request',
        'forbidden',
        'not_found',
        'shutting_down',
        'unavailable',
      ]),
    },
    onRequest: guard.admin,
    handler: async (request, reply) => {
      const { format, bytes, chunks } = await services.setAsideAdmin.body(request.params.id)
      return reply
        .type(isLineFormat(format) ? 'text/plain; charset=utf-8' : mediaTypes[format])
        .header('Content-Length', bytes)
        .send(Readable.from(chunks, { highWaterMark: 1 }))
    },
  })
}
