import Type from 'typebox'
import { TagPageAnswer } from '../../query/tag-lists.ts'
import { sendJson } from '../answer.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { listProblems, pageQuery, pageRequest } from './admin-request.ts'

const filters = {
  prefix: Type.Optional(Type.String({ description: 'Only tags that begin with it.' })),
  id_name_field: Type.Optional(
    Type.String({ description: 'The tag field to list, if the entity has several; by default the first.' }),
  ),
}

export const getTags: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'GET',
    url: '/consumer/data/entities/:entity/tags',
    schema: {
      tags: ['consumption'],
      operationId: 'tags',
      summary: 'The tags of an entity that have items, in the order of code points.',
      security: optionalKeySecurity,
      params: Type.Object({ entity: Type.String({ description: 'The entity.' }) }),
      querystring: pageQuery(filters),
      response: answers(200, 'A page of tags.', TagPageAnswer, [
        'invalid_request',
        'unknown_entity',
        'invalid_token',
        'result_too_large',
        ...listProblems,
      ]),
    },
    onRequest: [guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const { prefix, id_name_field } = request.query
      const asked = { ...pageRequest(request.query), prefix, id_name_field }
      const signal = inFlight.signal(reply)
      const page = await services.tagLists.list(request.params.entity, asked, signal, guard.reader(request))
      return sendJson(request, reply, page, settings.limits.sendIdleMs)
    },
  })
}
