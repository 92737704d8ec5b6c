import { Readable } from 'node:stream'
import Type from 'typebox'
import { QuarantinePage } from '../../admin/quarantine.ts'
import { isLineFormat } from '../../model/line-format.ts'
import { answers, keySecurity } from '../document.ts'
import type { Route } from '../route.ts'
import { noBodyProblems, pageProblems, pageQuery, pageRequest } from './admin-request.ts'
import { adminRoute, observeRoute } from './json-route.ts'

export const getQuarantine = observeRoute({
  method: 'GET',
  url: '/admin/quarantine',
  operationId: 'listQuarantine',
  summary: 'Pushes in quarantine because they crashed validation.',
  description: 'Needs a key with the right `observe` or `admin`.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of pushes, in the order in which they were accepted.', QuarantinePage, pageProblems),
  answer: ({ query }, { services }) => services.quarantineAdmin.list(pageRequest(query)),
})

const IdParameters = Type.Object({ id: Type.String({ description: 'The id in the list.' }) })

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
      params: IdParameters,
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

export const deleteQuarantined = adminRoute({
  method: 'DELETE',
  url: '/admin/quarantine/:id',
  operationId: 'discardQuarantined',
  summary: 'Delete the body of a push in quarantine. Its rows stay in the list of rejected rows.',
  params: IdParameters,
  response: answers(204, 'The body is deleted.', null, [...noBodyProblems, 'not_found', 'unavailable']),
  audited: { name: ['id'] },
  answer: ({ params }, { services }) => services.quarantineAdmin.release(params.id),
})
