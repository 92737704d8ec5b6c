import Type from 'typebox'
import { ChangeEntity, EntityAnswer, EntityPage, entityState } from '../../admin/entities.ts'
import { EntitiesResponse } from '../../query/responses.ts'
import { TagPageAnswer } from '../../query/tag-lists.ts'
import { formatParameter, refuseKeys, takeFormat } from '../address.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity, optionalKeySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import { bodyProblems, listProblems, pageProblems, pageQuery, pageRequest, readAdminBody } from './admin-request.ts'

export const getEntities: Route = (app, { services, settings, guard, inFlight }) => {
  app.route({
    method: 'GET',
    url: '/consumer/data/entities',
    schema: {
      tags: ['consumption'],
      operationId: 'entities',
      summary: 'The entities that can be queried, with their fields.',
      security: optionalKeySecurity,
      querystring: Type.Object(
        { format: Type.Optional(Type.Unsafe<'json'>(formatParameter)) },
        { additionalProperties: false },
      ),
      response: answers(200, 'The entities that the caller may read, by name.', EntitiesResponse, [
        'invalid_request',
        ...listProblems,
      ]),
    },
    onRequest: [refuseKeys, guard.consumption, takeFormat, acceptJson],
    handler: async (request, reply) => {
      const entities = await services.entityList.list(inFlight.signal(reply), guard.reader(request))
      return sendJson(request, reply, entities, settings.limits.sendIdleMs)
    },
  })
}

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
    onRequest: [refuseKeys, guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const { prefix, id_name_field } = request.query
      const asked = { ...pageRequest(request.query), prefix, id_name_field }
      const signal = inFlight.signal(reply)
      const page = await services.tagLists.list(request.params.entity, asked, signal, guard.reader(request))
      return sendJson(request, reply, page, settings.limits.sendIdleMs)
    },
  })
}

export const getAdminEntities: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/entities',
    schema: {
      tags: ['admin'],
      operationId: 'listEntities',
      summary: 'All entities, by name.',
      description: 'Needs a key with the right `observe` or `admin`.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of entities.', EntityPage, [...pageProblems]),
    },
    onRequest: [guard.observe, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.entityAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const patchEntity: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PATCH',
    url: '/admin/entities/:entity',
    schema: {
      tags: ['admin'],
      operationId: 'changeEntity',
      summary: 'Set the retention of an entity, and how it is read.',
      description:
        'Of `retention`: items that are already older expire at once, without a confirmation, in whole UTC days. After the answer they are no longer shown. A longer retention does not bring them back: only a backup has them.',
      security: keySecurity,
      params: Type.Object({ entity: Type.String({ description: 'The name of the entity.' }) }),
      body: ChangeEntity,
      response: answers(200, 'The entity as it is now.', EntityAnswer, [...bodyProblems, 'not_found', 'unavailable']),
    },
    config: { audited: { name: ['entity'], state: entityState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.entityAdmin.change(request.params.entity, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
