// Endpoints that return JSON. Each defines its schema and its result; the common parts are added here.
import type { FastifyContextConfig, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { sendJson } from '../answer.ts'
import type { AuditedRoute } from '../audited-routes.ts'
import { keySecurity, optionalKeySecurity, type Security } from '../document.ts'
import { acceptJson } from '../guard.ts'
import type { Route, RouteParts } from '../route.ts'
import { readAdminBody, refuseBody } from './admin-request.ts'

/** Who may use such endpoints, and their section of the OpenAPI document. */
interface Audience {
  readonly tag: string
  readonly security: Security
  readonly config?: FastifyContextConfig
  /** Admits a request before its body is read. */
  readonly admit: (parts: RouteParts) => onRequestHookHandler | readonly onRequestHookHandler[]
}

interface JsonRoute<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** Whether it is omitted from the OpenAPI document. */
  readonly hide?: boolean
  readonly params?: Params
  readonly querystring?: Query
  /** If absent, a body is refused, except for GET. */
  readonly body?: Body
  readonly 'x-body-may-be-left-out'?: true
  /** With both 200 and 201, the status is 201 unless `answer` sets the other. */
  readonly response: Readonly<Record<number, object>>
  readonly audited?: AuditedRoute | false
  /** Returns the value to send; ignored for a 204. */
  readonly answer: (
    request: FastifyRequest<{ Params: Static<Params>; Querystring: Static<Query>; Body: Static<Body> }>,
    parts: RouteParts,
    reply: FastifyReply,
  ) => unknown
}

export const jsonRoutes =
  ({ tag, security, config, admit }: Audience) =>
  <Params extends TSchema, Query extends TSchema, Body extends TSchema>(route: JsonRoute<Params, Query, Body>): Route =>
  (app, parts) => {
    const { method, url, audited, answer, ...schema } = route
    const { settings } = parts
    const status = [204, 201].find((one) => one in schema.response) ?? 200
    const whenEmpty = 'x-body-may-be-left-out' in schema ? { whenEmpty: '{}' } : {}
    const admitted = [admit(parts)].flat()
    const readBody = schema.body === undefined ? refuseBody(settings) : readAdminBody(settings, whenEmpty)
    app.route({
      method,
      url,
      schema: { tags: [tag], security, ...schema },
      config: { ...config, audited },
      onRequest: [admitted, status === 204 ? [] : acceptJson].flat(),
      preValidation: method === 'GET' ? [] : readBody,
      // A body may take minutes to arrive, so access is checked again when it is complete.
      preHandler: method === 'GET' ? [] : admitted,
      handler: async (request, reply) => {
        reply.code(status)
        // The schema has validated the request.
        const value = await answer(request as Parameters<typeof answer>[0], parts, reply)
        return status === 204 ? reply.send() : sendJson(request, reply, value, settings.limits.sendIdleMs)
      },
    })
  }

/** For a key with the right `admin`. */
export const adminRoute = jsonRoutes({ tag: 'admin', security: keySecurity, admit: ({ guard }) => guard.admin })

/** For a key with the right `observe` or `admin`. */
export const observeRoute = jsonRoutes({ tag: 'admin', security: keySecurity, admit: ({ guard }) => guard.observe })

/** Public where reading is public; otherwise for a key with the right `consume`. */
export const consumptionRoute = jsonRoutes({
  tag: 'consumption',
  security: optionalKeySecurity,
  admit: ({ guard }) => guard.consumption,
})
