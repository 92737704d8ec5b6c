import type { onRequestHookHandler } from 'fastify'
import Type from 'typebox'
import { ChangeEntity, EntityAnswer, EntityPage, entityState } from '../../admin/entities.ts'
import { EntitiesResponse } from '../../query/responses.ts'
import { TagPageAnswer } from '../../query/tag-lists.ts'
import { formatParameter, refuseKeys, takeFormat } from '../address.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { bodyProblems, listProblems, pageProblems, pageQuery, pageRequest } from './admin-request.ts'
import { adminRoute, jsonRoutes, observeRoute } from './json-route.ts'

/** The addresses of these lists may be typed by hand, so a key in them is refused. */
const listRoute = (...others: onRequestHookHandler[]) =>
  jsonRoutes({
    tag: 'consumption',
    security: optionalKeySecurity,
    admit: ({ guard }) => [refuseKeys, guard.consumption, ...others],
  })

export const getEntities = listRoute(takeFormat)({
  method: 'GET',
  url: '/consumer/data/entities',
  operationId: 'entities',
  summary: 'The entities that can be queried, with their fields.',
  querystring: Type.Object(
    { format: Type.Optional(Type.Unsafe<'json'>(formatParameter)) },
    { additionalProperties: false },
  ),
  response: answers(200, 'The entities that the caller may read, by name.', EntitiesResponse, [
    'invalid_request',
    ...listProblems,
  ]),
  answer: (request, { services, guard, inFlight }, reply) =>
    services.entityList.list(inFlight.signal(reply), guard.reader(request)),
})

const filters = {
  prefix: Type.Optional(Type.String({ description: 'Only tags that begin with this text.' })),
  id_name_field: Type.Optional(
    Type.String({ description: 'The tag field to list, if the entity has several; by default the first.' }),
  ),
}

export const getTags = listRoute()({
  method: 'GET',
  url: '/consumer/data/entities/:entity/tags',
  operationId: 'tags',
  summary: 'The tags of an entity that have items, in the order of code points.',
  params: Type.Object({ entity: Type.String({ description: 'The entity.' }) }),
  querystring: pageQuery(filters),
  response: answers(200, 'A page of tags.', TagPageAnswer, [
    'invalid_request',
    'unknown_entity',
    'invalid_token',
    'result_too_large',
    ...listProblems,
  ]),
  answer: (request, { services, guard, inFlight }, reply) => {
    const { prefix, id_name_field, ...page } = request.query
    const asked = { prefix, id_name_field, ...pageRequest(page) }
    return services.tagLists.list(request.params.entity, asked, inFlight.signal(reply), guard.reader(request))
  },
})

export const getAdminEntities = observeRoute({
  method: 'GET',
  url: '/admin/entities',
  operationId: 'listEntities',
  summary: 'All entities, by name.',
  description: 'Needs a key with the right `observe` or `admin`.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of entities.', EntityPage, pageProblems),
  answer: ({ query }, { services }) => services.entityAdmin.list(pageRequest(query)),
})

export const patchEntity = adminRoute({
  method: 'PATCH',
  url: '/admin/entities/:entity',
  operationId: 'changeEntity',
  summary: 'Set the retention of an entity, and how it is read.',
  description:
    'With `retention`, items that are already older expire at once, without a confirmation, in whole UTC days. After the answer they are no longer shown. A longer retention does not bring them back: only a backup has them.',
  params: Type.Object({ entity: Type.String({ description: 'The name of the entity.' }) }),
  body: ChangeEntity,
  response: answers(200, 'The entity as it is now.', EntityAnswer, [...bodyProblems, 'not_found', 'unavailable']),
  audited: { name: ['entity'], state: entityState },
  answer: ({ params, body }, { services }) => services.entityAdmin.change(params.entity, body),
})
