import Type from 'typebox'
import { OwnSubscriptionAnswer } from '../../access/subscriptions.ts'
import {
  CreatedKey,
  CreateKey,
  CreateSubscriber,
  PutSubscriptions,
  SubscriberAnswer,
  SubscriberPage,
  SubscriptionPage,
} from '../../admin/subscriber-schemas.ts'
import { keyState, subscriberState, subscriptionsState } from '../../admin/subscribers.ts'
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

export const postSubscriber: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/subscribers',
    schema: {
      tags: ['admin'],
      operationId: 'createSubscriber',
      summary: 'Create a subscriber.',
      security: keySecurity,
      body: CreateSubscriber,
      response: answers(201, 'The new subscriber.', SubscriberAnswer, [...bodyProblems, 'conflict']),
    },
    config: { audited: { name: ['name'], state: subscriberState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.create(request.body)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getSubscribers: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/subscribers',
    schema: {
      tags: ['admin'],
      operationId: 'listSubscribers',
      summary: 'All subscribers with the ids of their keys, by name.',
      security: keySecurity,
      querystring: pageQuery({}),
      response: answers(200, 'A page of subscribers.', SubscriberPage, [...pageProblems]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.list(pageRequest(request.query))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteSubscriber: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/subscribers/:name',
    schema: {
      tags: ['admin'],
      operationId: 'deleteSubscriber',
      summary: 'Delete a subscriber; its keys are revoked at once.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
    },
    config: { audited: { name: ['name'], state: subscriberState } },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.subscriberAdmin.delete(request.params.name)
      return reply.code(204).send()
    },
  })
}

export const postKey: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'POST',
    url: '/admin/subscribers/:name/keys',
    schema: {
      tags: ['admin'],
      operationId: 'createKey',
      summary: 'Create a key for a subscriber.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      body: CreateKey,
      response: answers(201, 'The new key. This answer is the only one that shows it.', CreatedKey, [
        ...bodyProblems,
        'not_found',
      ]),
    },
    config: { audited: { name: ['name'], state: subscriberState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.createKey(request.params.name, request.body)
      reply.code(201)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const deleteKey: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'DELETE',
    url: '/admin/keys/:id',
    schema: {
      tags: ['admin'],
      operationId: 'deleteKey',
      summary: 'Revoke a key at once.',
      security: keySecurity,
      params: Type.Object({ id: Type.String({ description: 'The id of the key.' }) }),
      response: answers(204, 'It is revoked.', null, [...noBodyProblems, 'not_found']),
    },
    config: { audited: { name: ['id'], state: keyState } },
    onRequest: guard.admin,
    preValidation: refuseBody(settings),
    handler: async (request, reply) => {
      await services.subscriberAdmin.deleteKey(request.params.id)
      return reply.code(204).send()
    },
  })
}

export const putSubscriptions: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'PUT',
    url: '/admin/subscribers/:name/subscriptions',
    schema: {
      tags: ['admin'],
      operationId: 'putSubscriptions',
      summary: 'Replace all subscriptions of a subscriber.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      body: PutSubscriptions,
      response: answers(200, 'The subscriptions as they are now.', SubscriptionPage, [...bodyProblems, 'not_found']),
    },
    config: { audited: { name: ['name'], state: subscriptionsState } },
    onRequest: [guard.admin, acceptJson],
    preValidation: readAdminBody(settings),
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.putSubscriptions(request.params.name, request.body)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getSubscriptions: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/admin/subscribers/:name/subscriptions',
    schema: {
      tags: ['admin'],
      operationId: 'listSubscriptions',
      summary: 'The subscriptions of a subscriber.',
      security: keySecurity,
      params: Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) }),
      response: answers(200, 'All of them.', SubscriptionPage, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
        'not_found',
      ]),
    },
    onRequest: [guard.admin, acceptJson],
    handler: async (request, reply) => {
      const answer = await services.subscriberAdmin.getSubscriptions(request.params.name)
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}

export const getSubscription: Route = (app, { services, settings, guard }) => {
  app.route({
    method: 'GET',
    url: '/subscription',
    schema: {
      tags: ['access'],
      operationId: 'subscription',
      summary: "Shows the rights of the request's key.",
      security: keySecurity,
      response: answers(200, 'The subscriber of the key, with its subscriptions.', OwnSubscriptionAnswer, [
        'invalid_request',
        'forbidden',
        'not_acceptable',
        'shutting_down',
      ]),
    },
    onRequest: acceptJson,
    handler: async (request, reply) => {
      const answer = services.access.describe(guard.asker(request))
      return sendJson(request, reply, answer, settings.limits.sendIdleMs)
    },
  })
}
