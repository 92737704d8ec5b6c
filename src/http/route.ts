import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify'
import type { KeyScheme } from '../access/keys.ts'
import type { AuditedRoute } from './audited-routes.ts'
import type { BodyBudget } from './body-budget.ts'
import type { Guard } from './guard.ts'
import type { HttpSettings } from './http-settings.ts'
import type { InFlight } from './in-flight.ts'
import type { RunningQueries } from './running-queries.ts'
import type { Services } from './services.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** What the bodies of all requests may take at once that have no budget of their own: queries and the operator's side. */
    readonly sharedBodies: BodyBudget
  }
  interface FastifyContextConfig {
    /** How its callers may show a key besides `Bearer` and `X-API-Key`. */
    readonly keySchemes?: readonly KeyScheme[]
    /** Whose body its errors have; the service's own where it is left out. */
    readonly errorBody?: 'druid' | 'lines' | 'influxql' | 'i3x' | 'avatica-json' | 'avatica-protobuf'
    /** The query parameter that may hold the key. */
    readonly keyParameter?: string
    /** What the audit tells of a change by it; `false` of a dry run. */
    readonly audited?: AuditedRoute | false
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What a route is made with. */
export interface RouteParts {
  readonly services: Services
  readonly settings: HttpSettings
  readonly guard: Guard
  readonly inFlight: InFlight
  /** What the bodies of all pushes, and of their checks, may take at once. */
  readonly pushBodies: BodyBudget
  /** The queries that can be canceled by their ids. */
  readonly runningQueries: RunningQueries
}

/** One endpoint. */
export type Route = (app: App, parts: RouteParts) => void
