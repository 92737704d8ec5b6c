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
import { answers, keySecurity } from '../document.ts'
import { bodyProblems, noBodyProblems, pageProblems, pageQuery, pageRequest, readProblems } from './admin-request.ts'
import { adminRoute, jsonRoutes } from './json-route.ts'

const Named = Type.Object({ name: Type.String({ description: 'The name of the subscriber.' }) })

export const postSubscriber = adminRoute({
  method: 'POST',
  url: '/admin/subscribers',
  operationId: 'createSubscriber',
  summary: 'Create a subscriber.',
  body: CreateSubscriber,
  response: answers(201, 'The new subscriber.', SubscriberAnswer, [...bodyProblems, 'conflict']),
  audited: { name: ['name'], state: subscriberState },
  answer: ({ body }, { services }) => services.subscriberAdmin.create(body),
})

export const getSubscribers = adminRoute({
  method: 'GET',
  url: '/admin/subscribers',
  operationId: 'listSubscribers',
  summary: 'All subscribers with the ids of their keys, by name.',
  querystring: pageQuery({}),
  response: answers(200, 'A page of subscribers.', SubscriberPage, pageProblems),
  answer: ({ query }, { services }) => services.subscriberAdmin.list(pageRequest(query)),
})

export const deleteSubscriber = adminRoute({
  method: 'DELETE',
  url: '/admin/subscribers/:name',
  operationId: 'deleteSubscriber',
  summary: 'Delete a subscriber; its keys are revoked at once.',
  params: Named,
  response: answers(204, 'It is deleted.', null, [...noBodyProblems, 'not_found']),
  audited: { name: ['name'], state: subscriberState },
  answer: ({ params }, { services }) => services.subscriberAdmin.delete(params.name),
})

export const postKey = adminRoute({
  method: 'POST',
  url: '/admin/subscribers/:name/keys',
  operationId: 'createKey',
  summary: 'Create a key for a subscriber.',
  params: Named,
  body: CreateKey,
  response: answers(201, 'The new key. This answer is the only one that shows it.', CreatedKey, [
    ...bodyProblems,
    'not_found',
  ]),
  audited: { name: ['name'], state: subscriberState },
  answer: ({ params, body }, { services }) => services.subscriberAdmin.createKey(params.name, body),
})

export const deleteKey = adminRoute({
  method: 'DELETE',
  url: '/admin/keys/:id',
  operationId: 'deleteKey',
  summary: 'Revoke a key at once.',
  params: Type.Object({ id: Type.String({ description: 'The id of the key.' }) }),
  response: answers(204, 'It is revoked.', null, [...noBodyProblems, 'not_found']),
  audited: { name: ['id'], state: keyState },
  answer: ({ params }, { services }) => services.subscriberAdmin.deleteKey(params.id),
})

export const putSubscriptions = adminRoute({
  method: 'PUT',
  url: '/admin/subscribers/:name/subscriptions',
  operationId: 'putSubscriptions',
  summary: 'Replace all subscriptions of a subscriber.',
  params: Named,
  body: PutSubscriptions,
  response: answers(200, 'The subscriptions as they are now.', SubscriptionPage, [...bodyProblems, 'not_found']),
  audited: { name: ['name'], state: subscriptionsState },
  answer: ({ params, body }, { services }) => services.subscriberAdmin.putSubscriptions(params.name, body),
})

export const getSubscriptions = adminRoute({
  method: 'GET',
  url: '/admin/subscribers/:name/subscriptions',
  operationId: 'listSubscriptions',
  summary: 'The subscriptions of a subscriber.',
  params: Named,
  response: answers(200, 'All of them.', SubscriptionPage, [...readProblems, 'not_found']),
  answer: ({ params }, { services }) => services.subscriberAdmin.getSubscriptions(params.name),
})

/** For any valid key: the response describes that key. */
const ownRoute = jsonRoutes({ tag: 'access', security: keySecurity, admit: () => [] })

export const getSubscription = ownRoute({
  method: 'GET',
  url: '/subscription',
  operationId: 'subscription',
  summary: "Shows the rights of the request's key.",
  response: answers(200, 'The subscriber of the key, with its subscriptions.', OwnSubscriptionAnswer, readProblems),
  answer: (request, { services, guard }) => services.access.describe(guard.requester(request)),
})
