// i3X 1.0: subscriptions. Tested by `test/acceptance/i3x.test.ts`.
import Type, { type Static, type TSchema } from 'typebox'
import { bulk, whole } from '../../i3x/answers.ts'
import type { I3xCaller } from '../../i3x/caller.ts'
import type { Subscriptions } from '../../i3x/subscriptions.ts'
import { Cancellation } from '../../lib/cancellation.ts'
import { bulkOf, i3xConfig, i3xPath, i3xSchema, type Posting, postI3x, wholeOf, withBody } from '../i3x-route.ts'
import { I3xStreams } from '../i3x-streams.ts'
import type { Route, RouteParts } from '../route.ts'
import { elementIds, maxDepth, vqt } from './i3x.ts'

/** Bounded, because each of up to thousands of subscriptions stores its names. */
const nameChars = 4096

const clientId = Type.String({
  ...{ minLength: 1, maxLength: nameChars },
  description: 'Names the client. A client that sends this id and the id of a subscription may use the subscription.',
})
const subscriptionId = Type.String()
const Named = Type.Object({ clientId, subscriptionId })
const Several = Type.Object({ clientId, subscriptionIds: Type.Array(Type.String()) })
const CreateRequest = Type.Object({
  clientId,
  displayName: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: nameChars })),
})
const Created = Type.Object({ clientId, subscriptionId, displayName: Type.String() })
const Described = Type.Object({
  ...{ subscriptionId, displayName: Type.String() },
  monitoredObjects: Type.Array(Type.Object({ elementId: Type.String(), maxDepth: Type.Integer() })),
})
const RegisterRequest = Type.Object({ clientId, subscriptionId, elementIds, maxDepth })
const UnregisterRequest = Type.Object({ clientId, subscriptionId, elementIds })
const SyncRequest = Type.Object({
  ...{ clientId, subscriptionId },
  lastSequenceNumber: Type.Optional(
    Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Acknowledges the batches up to this one; -1 acknowledges all that waits.',
    }),
  ),
})
const Batches = Type.Array(
  Type.Object({
    sequenceNumber: Type.Integer(),
    updates: Type.Array(Type.Object({ elementId: Type.String(), ...vqt })),
  }),
)

export const i3xSubscriptionRoutes: Route = (app, parts) => {
  const { subscriptions } = parts.services.i3x
  const post = <Body extends TSchema>(path: string, posting: Omit<Posting<Body>, 'codes'>) =>
    postI3x(app, parts, `/subscriptions${path}`, { ...posting, codes: ['not_found'] })

  post('', {
    ...{ id: 'i3xSubscribe', summary: 'Make a subscription.', body: CreateRequest, result: wholeOf(Created) },
    answer: ({ clientId: client, displayName = null }) =>
      whole({ result: subscriptions.create(client, displayName), partial: null }),
  })
  post('/list', {
    ...{ id: 'i3xSubscriptions', summary: 'What subscriptions watch.', body: Several },
    result: bulkOf(Described, 'subscriptionId'),
    answer: ({ clientId: client, subscriptionIds }) =>
      bulk(subscriptions.list(client, subscriptionIds), 'subscriptionId'),
  })
  post('/delete', {
    ...{ id: 'i3xUnsubscribe', summary: 'Delete subscriptions.', body: Several },
    result: bulkOf(Type.Null(), 'subscriptionId'),
    answer: ({ clientId: client, subscriptionIds }) =>
      bulk(subscriptions.delete(client, subscriptionIds), 'subscriptionId'),
  })
  post('/register', {
    ...{ id: 'i3xRegister', summary: 'Watch objects.', body: RegisterRequest, result: bulkOf(Type.Null()) },
    answer: async (body, caller) =>
      bulk(await subscriptions.register(body, body.elementIds, body.maxDepth ?? 1, caller), 'elementId'),
  })
  post('/unregister', {
    ...{ id: 'i3xUnregister', summary: 'Stop watching objects.', body: UnregisterRequest },
    result: bulkOf(Type.Null()),
    answer: async (body, caller) => bulk(await subscriptions.unregister(body, body.elementIds, caller), 'elementId'),
  })
  post('/sync', {
    ...{ id: 'i3xSync', summary: 'The waiting updates, without acknowledged ones.', body: SyncRequest },
    result: wholeOf(Batches),
    answer: async (body, caller) => whole(await subscriptions.sync(body, body.lastSequenceNumber ?? null, caller)),
  })
  stream(app, parts, subscriptions)
}

function stream(app: Parameters<Route>[0], parts: RouteParts, subscriptions: Subscriptions): void {
  const { guard, inFlight, settings } = parts
  const streams = new I3xStreams(subscriptions, settings.limits.sendIdleMs)
  inFlight.onStop(() => subscriptions.endAll())
  const described = i3xSchema('i3xStream', 'The waiting updates, and new ones as they come, as events.', {
    ...{ body: Named, result: Type.Unknown(), codes: ['not_found'] },
  })
  const { 206: _, ...response } = described.response
  app.route({
    method: 'POST',
    url: `${i3xPath}/subscriptions/stream`,
    config: i3xConfig,
    schema: {
      ...described,
      response: {
        ...response,
        200: {
          description: 'Server-sent events: the data of each is a list of updates.',
          content: { 'text/event-stream': { schema: Type.String() } },
        },
      },
    },
    ...withBody(parts, undefined, true),
    handler: async (request, reply) => {
      const caller = (): I3xCaller | null => {
        try {
          guard.requireConsumption(request)
          return { reader: guard.reader(request), cancellation: new Cancellation() }
        } catch {
          return null
        }
      }
      return streams.open(request, reply, request.body as Static<typeof Named>, caller)
    },
  })
}
