import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { isCaller } from '../../access/caller.ts'
import { ViewAnswer, ViewDefinition, type Viewer, type ViewMaker, ViewPage, viewState } from '../../admin/views.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity, optionalKeySecurity } from '../document.ts'
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

const Named = Type.Object({ name: Type.String({ description: 'The name of the view.' }) })

const Known = Type.Object(
  {
    changed: Type.Optional(
      Type.String({
        description:
          'The `changed` of the view as the caller knows it, or `never` where it is new: if it is another by now, nothing is saved, and the answer is a 409.',
      }),
    ),
  },
  { additionalProperties: false },
)

function viewerOf({ guard }: RouteParts, request: FastifyRequest): Viewer {
  const asker = guard.asker(request)
  const caller = isCaller(asker) ? asker : null
  return {
    subscriberId: caller?.subscriberId ?? null,
    isOperator: caller?.rights.has('admin') ?? false,
    mayRead: guard.readable(request),
  }
}

/** Throws Problem `forbidden` for who may not read: also where reading is public, a view is somebody's. */
function makerOf(parts: RouteParts, request: FastifyRequest): ViewMaker {
  const { subscriberId, subscriber } = parts.services.access.requireConsume(parts.guard.asker(request))
  return { ...viewerOf(parts, request), subscriberId, subscriber }
}

export const getViews: Route = (app, parts) => {
  const { services, settings, guard } = parts
  app.route({
    method: 'GET',
    url: '/consumer/views',
    schema: {
      tags: ['consumption'],
      operationId: 'listViews',
      summary: 'Saved views, by name.',
      description: 'Those that the caller made, and those of which he may read every entity.',
      security: optionalKeySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of views.', ViewPage, [...pageProblems]),
    },
    onRequest: [guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.views.list(viewerOf(parts, request), pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getView: Route = (app, parts) => {
  const { services, settings, guard } = parts
  app.route({
    method: 'GET',
    url: '/consumer/views/:name',
    schema: {
      tags: ['consumption'],
      operationId: 'showView',
      summary: 'One saved view.',
      security: optionalKeySecurity,
      params: Named,
      response: answers(200, 'The view.', ViewAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'not_found',
        'shutting_down',
      ]),
    },
    onRequest: [guard.consumption, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.views.show(viewerOf(parts, request), request.params.name)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const putView: Route = (app, parts) => {
  const { services, settings } = parts
  app.route({
    method: 'PUT',
    url: '/consumer/views/:name',
    schema: {
      tags: ['consumption'],
      operationId: 'putView',
      summary: 'Save a view, or replace it.',
      description:
        'Needs a key that may read. A view is replaced and deleted by the subscriber who made it, and by an operator. There are at most 1,000.',
      security: keySecurity,
      params: Named,
      querystring: Known,
      body: ViewDefinition,
      response: {
        ...answers(200, 'The view as it is now.', ViewAnswer, [...bodyProblems, 'conflict']),
        201: { description: 'The new view.', content: { 'application/json': { schema: ViewAnswer } } },
      },
    },
    config: { audited: { name: ['name'], state: viewState } },
    onRequest: [admitMaker(parts), acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const { params, query, body } = request
      const { isNew, answer } = await services.views.put(makerOf(parts, request), params.name, body, query.changed)
      if (isNew) reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteView: Route = (app, parts) => {
  app.route({
    method: 'DELETE',
    url: '/consumer/views/:name',
    schema: {
      tags: ['consumption'],
      operationId: 'deleteView',
      summary: 'Delete a view.',
      security: keySecurity,
      params: Named,
      response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
    },
    config: { audited: { name: ['name'], state: viewState } },
    onRequest: admitMaker(parts),
    preValidation: refuseBody(parts.settings),
    handler: async (request, reply) => {
      await parts.services.views.delete(makerOf(parts, request), request.params.name)
      return reply.code(204).send()
    },
  })
}

const admitMaker =
  (parts: RouteParts) =>
  (request: FastifyRequest, _reply: unknown, done: () => void): void => {
    makerOf(parts, request)
    done()
  }
