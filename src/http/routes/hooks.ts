import Type from 'typebox'
import { DeliveryPage, HookAnswer, HookPage, hookState, PutHook } from '../../admin/hooks.ts'
import { sendJson } from '../answer.ts'
import { answers, keySecurity } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route } from '../route.ts'
import {
  bodyProblems,
  noBodyProblems,
  pageProblems,
  pageQuery,
  pageRequest,
  readAdminBody,
  refuseBody,
} from './admin-request.ts'

const Named = Type.Object({ name: Type.String({ description: 'The name of the hook.' }) })

export const putHook: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PUT',
    url: '/admin/hooks/:name',
    schema: {
      tags: ['admin'],
      operationId: 'putHook',
      summary: 'Create or replace a hook.',
      security: keySecurity,
      params: Named,
      body: PutHook,
      response: {
        ...answers(200, 'The hook as it is now.', HookAnswer, [
          ...bodyProblems,
          'conflict',
          'overloaded',
          'query_timeout',
          'unavailable',
        ]),
        201: { description: 'The new hook.', content: { 'application/json': { schema: HookAnswer } } },
      },
    },
    config: { audited: { name: ['name'], state: hookState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const { isNew, answer } = await services.hookAdmin.put(request.params.name, request.body)
      if (isNew) reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getHooks: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/hooks',
    schema: {
      tags: ['admin'],
      operationId: 'listHooks',
      summary: 'All hooks, by name.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of hooks.', HookPage, [...pageProblems]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.hookAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getHook: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/hooks/:name',
    schema: {
      tags: ['admin'],
      operationId: 'showHook',
      summary: 'One hook. Its secret is not shown.',
      security: keySecurity,
      params: Named,
      response: answers(200, 'The hook.', HookAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'not_found',
        'shutting_down',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.hookAdmin.show(request.params.name)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteHook: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/hooks/:name',
    schema: {
      tags: ['admin'],
      operationId: 'deleteHook',
      summary: 'Delete a hook, with the events that wait for it.',
      security: keySecurity,
      params: Named,
      response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
    },
    config: { audited: { name: ['name'], state: hookState } },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.hookAdmin.delete(request.params.name)
      return reply.code(204).send()
    },
  })
}

export const getDeliveries: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/hooks/:name/deliveries',
    schema: {
      tags: ['admin'],
      operationId: 'listDeliveries',
      summary: 'The events of a hook, newest first, and what became of them.',
      description: 'Of each hook the newest 1,000 are kept.',
      security: keySecurity,
      params: Named,
      querystring: pageQuery({}),
      response: answers(200, 'A page of events.', DeliveryPage, [...pageProblems, 'not_found']),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.hookAdmin.deliveries(request.params.name, pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
