import Type from 'typebox'
import { DeliveryPage, HookAnswer, HookPage, hookState, PutHook } from '../../admin/hooks.ts'
import { answers } from '../document.ts'
import { bodyProblems, noBodyProblems, pageProblems, pageQuery, pageRequest, readProblems } from './admin-request.ts'
import { adminRoute } from './json-route.ts'

const Named = Type.Object({ name: Type.String({ description: 'The name of the hook.' }) })

export const putHook = adminRoute({
  method: 'PUT',
  url: '/admin/hooks/:name',
  operationId: 'putHook',
  summary: 'Create or replace a hook.',
  params: Named,
  body: PutHook,
  response: {
    ...answers(200, 'The hook as it is now.', HookAnswer, [
      ...bodyProblems,
      'conflict',
      'query_timeout',
      'unavailable',
    ]),
    ...answers(201, 'The new hook.', HookAnswer, []),
  },
  audited: { name: ['name'], state: hookState },
  answer: async ({ params, body }, { services }, reply) => {
    const { isNew, answer } = await services.hookAdmin.put(params.name, body)
    if (!isNew) reply.code(200)
    return answer
  },
})

export const getHooks = adminRoute({
  method: 'GET',
  url: '/admin/hooks',
  operationId: 'listHooks',
  summary: 'All hooks, by name.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of hooks.', HookPage, pageProblems),
  answer: ({ query }, { services }) => services.hookAdmin.list(pageRequest(query)),
})

export const getHook = adminRoute({
  method: 'GET',
  url: '/admin/hooks/:name',
  operationId: 'showHook',
  summary: 'One hook. Its secret is not shown.',
  params: Named,
  response: answers(200, 'The hook.', HookAnswer, [...readProblems, 'not_found']),
  answer: ({ params }, { services }) => services.hookAdmin.show(params.name),
})

export const deleteHook = adminRoute({
  method: 'DELETE',
  url: '/admin/hooks/:name',
  operationId: 'deleteHook',
  summary: 'Delete a hook and its waiting events.',
  params: Named,
  response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
  audited: { name: ['name'], state: hookState },
  answer: ({ params }, { services }) => services.hookAdmin.delete(params.name),
})

export const getDeliveries = adminRoute({
  method: 'GET',
  url: '/admin/hooks/:name/deliveries',
  operationId: 'listDeliveries',
  summary: 'The events of a hook, newest first, and their outcome.',
  description: 'The newest 1,000 events of each hook are kept.',
  params: Named,
  querystring: pageQuery({}),
  response: answers(200, 'A page of events.', DeliveryPage, [...pageProblems, 'not_found']),
  answer: ({ params, query }, { services }) => services.hookAdmin.deliveries(params.name, pageRequest(query)),
})
