import type { onRequestHookHandler } from 'fastify'
import type { Static } from 'typebox'
import { Problem } from '../../model/problem.ts'
import { LiveRequest } from '../../query/requests.ts'
import { acceptsType } from '../accept.ts'
import { addressOf, refuseKeys } from '../address.ts'
import { answers, optionalKeySecurity } from '../document.ts'
import { LiveStreams } from '../live-streams.ts'
import type { Route } from '../route.ts'
import { refuseBody } from './admin-request.ts'

const mediaType = 'text/event-stream'

const acceptEvents: onRequestHookHandler = (request, _reply, done) => {
  if (acceptsType(request.headers.accept, mediaType)) done()
  else done(new Problem('not_acceptable', `The answer is ${mediaType}. Leave Accept out, or allow that type.`))
}

const description =
  'Server-sent events. Each block has an `id`; the first one is empty. `rows`: an array of items, as select gives them, in the order in which they became queryable. `reset`: the id that was shown is too old or unknown, and rows up to now may be missing: `date` is at or before that of each of them, null for all. `deleted`: of the rows sent before, those of `selection` are deleted by the deletion `id` (with `metrics`, these read as null); with `undone` it was taken back, and they are visible again. `behind`: the reader reads rows more slowly than they come, and the stream ends; the last id continues it. A comment comes every 15 seconds.'

const codes = [
  'invalid_request',
  'unknown_entity',
  'body_too_large',
  'forbidden',
  'not_acceptable',
  'overloaded',
  'unavailable',
  'shutting_down',
] as const

/** Streams the rows of an entity as they become queryable. */
export const getLive: Route = (app, { services: { live }, settings, guard, inFlight }) => {
  const { querystring, read } = addressOf(LiveRequest, {})
  const streams = new LiveStreams(live, settings.limits)
  inFlight.onStop(() => streams.endAll())
  app.route({
    method: 'GET',
    url: '/consumer/data/live',
    schema: {
      tags: ['consumption'],
      operationId: 'live',
      summary: 'The items of an entity as they become queryable, as a stream of events.',
      security: optionalKeySecurity,
      querystring,
      response: {
        ...answers(200, description, null, codes),
        200: { description, content: { [mediaType]: { schema: { type: 'string' } } } },
      },
    },
    onRequest: [refuseKeys, guard.consumption, acceptEvents],
    preValidation: [refuseBody(settings), read],
    handler: async (request, reply) => {
      const asked = live.read(request.query as Static<typeof LiveRequest>, guard.reader(request))
      if (request.method === 'HEAD') return reply.type(mediaType).send('')
      const { after } = request.query as Static<typeof LiveRequest>
      const lastId = request.headers['last-event-id']?.toString() || after || null
      const isAllowed = (): boolean => {
        try {
          guard.requireConsumption(request)
          return live.isAllowed(asked, guard.reader(request))
        } catch {
          return false
        }
      }
      await streams.open(request, reply, asked, { lastId, isAllowed })
      return reply
    },
  })
}
