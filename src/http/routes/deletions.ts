import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { DeletionAnswer, DeletionPage, DryDeletionAnswer } from '../../admin/deletion-schemas.ts'
import { planDeletion } from '../../query/plan-deletion.ts'
import { DeletionBody } from '../../query/requests.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route, RouteParts } from '../route.ts'
import {
  bodyProblems,
  noBodyProblems,
  pageProblems,
  pageQuery,
  pageRequest,
  readAdminBody,
  refuseBody,
} from './admin-request.ts'

const EntityParameters = Type.Object({ entity: Type.String({ description: 'The name of the entity.' }) })

const whoMay =
  'Needs a key with the right `admin`, or with `correct` and `consume` and a valid subscription to the entity.'

interface EntityRequest extends Pick<FastifyRequest, 'headers' | 'routeOptions' | 'query'> {
  readonly params: { readonly entity: string }
}

/** Access comes before existence, so that nobody learns which entities there are. */
function admission({ guard, services }: Pick<RouteParts, 'guard' | 'services'>) {
  return (request: EntityRequest, _reply: unknown, done: () => void): void => {
    services.access.requireCorrect(guard.asker(request), request.params.entity)
    done()
  }
}

export const postDeletion: Route = (app, parts) => {
  const { services, settings, guard } = parts
  app.route({
    method: 'POST',
    url: '/admin/entities/:entity/deletions',
    schema: {
      tags: ['admin'],
      operationId: 'deleteRows',
      summary: 'Delete rows of an entity: at once no query sees them.',
      description: `Of rows that were pushed before; later ones are not touched. It can be taken back until \`deletions.eraseAfterMs\` is over, on a cluster always. ${whoMay}`,
      security: keySecurity,
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
    },
    config: { audited: { name: ['entity'], isDry: (body) => body.dry_run === true } },
    onRequest: [admission(parts), acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const { entity } = request.params
      // Access is asked for again, for a body may take minutes.
      const { subscriber } = services.access.requireCorrect(guard.asker(request), entity)
      const { body } = request
      const isDry = body.dry_run === true
      const answer = await services.deletionAdmin.delete(entity, {
        reason: body.reason,
        subscriber,
        isDry,
        select: (known, nowMs) => planDeletion(body, known, nowMs),
      })
      return sendJson(request, reply.code(isDry ? 200 : 201), answer, settings.limits.sendIdleMs)
    },
  })
}

export const getDeletions: Route = (app, parts) => {
  const { services, settings } = parts
  app.route({
    method: 'GET',
    url: '/admin/entities/:entity/deletions',
    schema: {
      tags: ['admin'],
      operationId: 'listDeletions',
      summary: 'The deletions of an entity, newest first.',
      description: `Those that were taken back are not among them. ${whoMay}`,
      security: keySecurity,
      params: EntityParameters,
      querystring: pageQuery({}),
      response: answers(200, 'A page of deletions.', DeletionPage, [...pageProblems, 'not_found']),
    },
    onRequest: [admission(parts), acceptJson],
    handler: async (request, reply) => {
      const answer = await services.deletionAdmin.list(request.params.entity, pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteDeletion: Route = (app, parts) => {
  const { services, settings } = parts
  app.route({
    method: 'DELETE',
    url: '/admin/entities/:entity/deletions/:id',
    schema: {
      tags: ['admin'],
      operationId: 'takeBackDeletion',
      summary: 'Take a deletion back: its rows are seen again.',
      description: `It is a 409 once its rows are removed for good. ${whoMay}`,
      security: keySecurity,
      params: Type.Object({
        ...EntityParameters.properties,
        id: Type.String({ description: 'The `id` of the deletion.' }),
      }),
      response: answers(204, 'The rows are seen again, unless another deletion selects them.', null, [
        ...noBodyProblems,
        'not_found',
        'conflict',
        'unavailable',
      ]),
    },
    config: { audited: { name: ['entity', 'id'] } },
    onRequest: [admission(parts)],
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.deletionAdmin.takeBack(request.params.entity, request.params.id)
      return reply.code(204).send()
    },
  })
}
