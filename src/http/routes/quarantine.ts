import { Readable } from 'node:stream'
import Type from 'typebox'
import { QuarantinePage } from '../../admin/quarantine.ts'
import { isLineFormat } from '../../model/line-format.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, pageProblems, pageQuery, pageRequest, refuseBody } from './admin-request.ts'

export const getQuarantine: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/quarantine',
    schema: {
      tags: ['admin'],
      operationId: 'listQuarantine',
      summary: 'Pushes in quarantine because they crashed validation.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of pushes, in the order in which they were accepted.', QuarantinePage, [
        ...pageProblems,
      ]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.quarantineAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

const mediaTypes = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  replay: 'application/octet-stream',
} as const

export const getQuarantineBody: Route = (app, { services, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/quarantine/:id/body',
    schema: {
      tags: ['admin'],
      operationId: 'getQuarantineBody',
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
      const { format, bytes, chunks } = await services.quarantineAdmin.body(request.params.id)
      return reply
        .type(isLineFormat(format) ? 'text/plain; charset=utf-8' : mediaTypes[format])
        .header('Content-Length', bytes)
        .send(Readable.from(chunks, { highWaterMark: 1 }))
    },
  })
}

export const deleteQuarantined: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/quarantine/:id',
    schema: {
      tags: ['admin'],
      operationId: 'discardQuarantined',
      summary: 'Delete the body of a push in quarantine. Its rows stay in the list of rejected rows.',
      security: keySecurity,
      params: Type.Object({ id: Type.String({ description: 'The id in the list.' }) }),
      response: answers(204, 'The body is deleted.', null, [...noBodyProblems, 'not_found', 'unavailable']),
    },
    config: { audited: { name: ['id'] } },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.quarantineAdmin.release(request.params.id)
      return reply.code(204).send()
    },
  })
}
