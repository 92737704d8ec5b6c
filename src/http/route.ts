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
    /** Budget for all bodies without their own budget: queries and operator requests. */
    readonly sharedBodies: BodyBudget
  }
  interface FastifyContextConfig {
    /** Authentication schemes in addition to `Bearer` and `X-API-Key`. */
    readonly keySchemes?: readonly KeyScheme[]
    /** The format of its error bodies; the service's own if absent. */
    readonly errorBody?: 'druid' | 'lines' | 'influxql' | 'i3x' | 'avatica-json' | 'avatica-protobuf'
    /** The query parameter that may contain the key. */
    readonly keyParameter?: string
    /** Describes its changes for the audit log; `false` for a dry run. */
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

/** The parts that a route is built from. */
export interface RouteParts {
  readonly services: Services
  readonly settings: HttpSettings
  readonly guard: Guard
  readonly inFlight: InFlight
  /** Budget for the bodies of all pushes and of their checks. */
  readonly pushBodies: BodyBudget
  /** Running queries that can be canceled by their ids. */
  readonly runningQueries: RunningQueries
}

/** One endpoint. */
export type Route = (app: App, parts: RouteParts) => void
