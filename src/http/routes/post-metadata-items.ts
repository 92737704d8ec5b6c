import Type from 'typebox'
import { ItemsAnswer, ItemsByIdRequest } from '../../metadata/schemas.ts'
import { sendBody } from '../answer.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, readAdminBody } from './admin-request.ts'

export const postMetadataItems: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'POST',
    url: '/consumer/metadata/:table',
    schema: {
      tags: ['consumption'],
      operationId: 'metadataItemsById',
      summary: 'Items of a metadata entity by their identifiers.',
      security: optionalKeySecurity,
      params: Type.Object({ table: Type.String({ description: 'The alias of the metadata ingest.' }) }),
      body: ItemsByIdRequest,
      response: answers(200, 'The items that exist, in the order of the request.', ItemsAnswer, [
        ...bodyProblems,
        'table_not_found',
        'unavailable',
      ]),
    },
    onRequest: [
      guard.consumption,
      acceptJson,
      (request, _reply, done) => {
        services.metadata.requireTable(request.params.table, guard.readable(request))
        done()
      },
    ],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const signal = inFlight.signal(reply)
      const { table } = request.params
      const answer = await services.metadata.find(table, request.body, guard.readable(request), signal)
      return sendBody(request, reply, 'application/json', answer, settings.limits.sendIdleMs)
    },
  })
}
