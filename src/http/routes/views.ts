import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { isCaller } from '../../access/caller.ts'
import { ViewAnswer, ViewDefinition, type Viewer, type ViewMaker, ViewPage, viewState } from '../../admin/views.ts'
import { answers, keySecurity } from '../document.ts'
import { admits } from '../guard.ts'
import type { RouteParts } from '../route.ts'
import { bodyProblems, noBodyProblems, pageProblems, pageQuery, pageRequest, readProblems } from './admin-request.ts'
import { consumptionRoute, jsonRoutes } from './json-route.ts'

const Named = Type.Object({ name: Type.String({ description: 'The name of the view.' }) })

const Known = Type.Object(
  {
    changed: Type.Optional(
      Type.String({
        description:
          'The `changed` of the view as the caller knows it, or `never` if it is new: if it has changed since, nothing is saved, and the answer is a 409.',
      }),
    ),
  },
  { additionalProperties: false },
)

function viewerOf({ guard }: RouteParts, request: FastifyRequest): Viewer {
  const requester = guard.requester(request)
  const caller = isCaller(requester) ? requester : null
  return {
    subscriberId: caller?.subscriberId ?? null,
    isOperator: caller?.rights.has('admin') ?? false,
    mayRead: guard.readable(request),
  }
}

/** Throws Problem `forbidden` for callers that may not read. Even where reading is public, a view needs an owner. */
function makerOf(parts: RouteParts, request: FastifyRequest): ViewMaker {
  const { subscriberId, subscriber } = parts.services.access.requireConsume(parts.guard.requester(request))
  return { ...viewerOf(parts, request), subscriberId, subscriber }
}

const makerRoute = jsonRoutes({
  tag: 'consumption',
  security: keySecurity,
  admit: (parts) => admits((request) => makerOf(parts, request)),
})

export const getViews = consumptionRoute({
  method: 'GET',
  url: '/consumer/views',
  operationId: 'listViews',
  summary: 'Saved views, by name.',
  description: 'The views that the caller made, and those whose entities the caller can all read.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of views.', ViewPage, pageProblems),
  answer: (request, parts) => parts.services.views.list(viewerOf(parts, request), pageRequest(request.query)),
})

export const getView = consumptionRoute({
  method: 'GET',
  url: '/consumer/views/:name',
  operationId: 'showView',
  summary: 'One saved view.',
  params: Named,
  response: answers(200, 'The view.', ViewAnswer, [...readProblems, 'not_found']),
  answer: (request, parts) => parts.services.views.show(viewerOf(parts, request), request.params.name),
})

export const putView = makerRoute({
  method: 'PUT',
  url: '/consumer/views/:name',
  operationId: 'putView',
  summary: 'Save a view, or replace it.',
  description:
    'Needs a key that may read. A view is replaced and deleted by the subscriber who made it, and by an operator. There are at most 1,000.',
  params: Named,
  querystring: Known,
  body: ViewDefinition,
  response: {
    ...answers(200, 'The view as it is now.', ViewAnswer, [...bodyProblems, 'conflict']),
    ...answers(201, 'The new view.', ViewAnswer, []),
  },
  audited: { name: ['name'], state: viewState },
  answer: async (request, parts, reply) => {
    const { params, query, body } = request
    const maker = makerOf(parts, request)
    const { isNew, answer } = await parts.services.views.put(maker, params.name, body, query.changed)
    if (!isNew) reply.code(200)
    return answer
  },
})

export const deleteView = makerRoute({
  method: 'DELETE',
  url: '/consumer/views/:name',
  operationId: 'deleteView',
  summary: 'Delete a view.',
  params: Named,
  response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
  audited: { name: ['name'], state: viewState },
  answer: (request, parts) => parts.services.views.delete(makerOf(parts, request), request.params.name),
})
