import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { DeletionAnswer, DeletionPage, DryDeletionAnswer } from '../../admin/deletion-schemas.ts'
import { planDeletion } from '../../query/plan-deletion.ts'
import { DeletionBody } from '../../query/requests.ts'
import { answers, keySecurity } from '../document.ts'
import { admits } from '../guard.ts'
import type { RouteParts } from '../route.ts'
import { bodyProblems, noBodyProblems, pageProblems, pageQuery, pageRequest } from './admin-request.ts'
import { jsonRoutes } from './json-route.ts'

const EntityParameters = Type.Object({ entity: Type.String({ description: 'The name of the entity.' }) })

const whoMay =
  'Needs a key with the right `admin`, or with `correct` and `consume` and a valid subscription to the entity.'

/** Access is checked before existence, so that names of entities are not revealed. */
function correctorOf(request: FastifyRequest, { guard, services }: RouteParts) {
  const { entity } = request.params as Static<typeof EntityParameters>
  return services.access.requireCorrect(guard.requester(request), entity)
}

const deletionRoute = jsonRoutes({
  tag: 'admin',
  security: keySecurity,
  admit: (parts) => admits((request) => correctorOf(request, parts)),
})

export const postDeletion = deletionRoute({
  method: 'POST',
  url: '/admin/entities/:entity/deletions',
  operationId: 'deleteRows',
  summary: 'Delete rows of an entity: queries stop seeing them immediately.',
  description: `Only rows that were pushed before; later ones are not affected. It can be taken back until \`deletions.eraseAfterMs\` has passed, on a cluster always. ${whoMay}`,
  params: EntityParameters,
  body: DeletionBody,
  response: {
    ...answers(201, 'The rows are deleted.', DeletionAnswer, [
      ...bodyProblems,
      'rows_expired',
      'not_found',
      'conflict',
      'damaged_data',
      'unavailable',
    ]),
    ...answers(200, 'A dry run: nothing is deleted.', DryDeletionAnswer, []),
  },
  audited: { name: ['entity'], isDry: (body) => body.dry_run === true },
  answer: (request, parts, reply) => {
    const { subscriber } = correctorOf(request, parts)
    const { params, body } = request
    const isDry = body.dry_run === true
    if (isDry) reply.code(200)
    return parts.services.deletionAdmin.delete(params.entity, {
      reason: body.reason,
      subscriber,
      isDry,
      select: (known, nowMs) => planDeletion(body, known, nowMs),
    })
  },
})

export const getDeletions = deletionRoute({
  method: 'GET',
  url: '/admin/entities/:entity/deletions',
  operationId: 'listDeletions',
  summary: 'The deletions of an entity, newest first.',
  description: `Deletions that were taken back are not listed. ${whoMay}`,
  params: EntityParameters,
  querystring: pageQuery({}),
  response: answers(200, 'A page of deletions.', DeletionPage, [...pageProblems, 'not_found']),
  answer: ({ params, query }, { services }) => services.deletionAdmin.list(params.entity, pageRequest(query)),
})

export const deleteDeletion = deletionRoute({
  method: 'DELETE',
  url: '/admin/entities/:entity/deletions/:id',
  operationId: 'takeBackDeletion',
  summary: 'Take a deletion back: its rows are visible again.',
  description: `It is a 409 once its rows are permanently removed. ${whoMay}`,
  params: Type.Object({
    ...EntityParameters.properties,
    id: Type.String({ description: 'The `id` of the deletion.' }),
  }),
  response: answers(204, 'The rows are visible again, unless another deletion selects them.', null, [
    ...noBodyProblems,
    'not_found',
    'conflict',
    'unavailable',
  ]),
  audited: { name: ['entity', 'id'] },
  answer: ({ params }, { services }) => services.deletionAdmin.takeBack(params.entity, params.id),
})
