import { Server as SecureServer } from 'node:https'
import cors from '@fastify/cors'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { timerMs } from '../lib/timer.ts'
import { Problem } from '../model/problem.ts'
import { keepAudit } from './audited-routes.ts'
import { takeBasic } from './basic-paths.ts'
import { discardBody } from './body.ts'
import { BodyBudget } from './body-budget.ts'
import { documentOptions, ProblemSchema } from './document.ts'
import { msToStream } from './event-streams.ts'
import type { FailedKeys } from './failed-keys.ts'
import { Guard } from './guard.ts'
import type { HttpSettings } from './http-settings.ts'
import { cutOffUnsent } from './idle-clients.ts'
import type { InFlight } from './in-flight.ts'
import { KnownPaths } from './known-paths.ts'
import { watchSockets } from './open-sockets.ts'
import type { OwnCertificate } from './own-certificate.ts'
import { answerOddRequests, answerParserError } from './parser-errors.ts'
import { answerPlainPushes, type FailedPushes } from './plain-pushes.ts'
import { completeHeaders, problemOf, sendProblem } from './problems.ts'
import { closeParameters } from './query-parameters.ts'
import { headProblem } from './request-head.ts'
import type { App } from './route.ts'
import { routes, stateRoutes } from './routes.ts'
import { RunningQueries } from './running-queries.ts'
import type { Services } from './services.ts'
import { schemaCompiler } from './validation.ts'
import { closeWaitingAnswers } from './waiting-answers.ts'

export interface ServerParts {
  readonly services: Services
  readonly settings: HttpSettings
  /** Tracks the requests in flight, for `stopServer`. */
  readonly inFlight: InFlight
  /** For HTTPS; null or absent for plain HTTP. */
  readonly certificate?: OwnCertificate | null
  readonly failedKeys: FailedKeys
  readonly requestId: () => string
}

/** Interval of the check for late requests. */
const timeoutCheckMs = 1000

/** Longer than any percent-encoded name, batch id or item identifier. */
const pathPartCharactersMax = 8192

/** Builds the HTTP server with all endpoints; it does not listen yet. */
export async function buildServer(parts: ServerParts): Promise<App> {
  const app = bareServer(parts)
  const paths = new KnownPaths()
  app.addHook('onRoute', (route) => {
    const { url, method } = route
    if (url === '*') return
    closeParameters(route)
    for (const one of [method].flat()) paths.add(url, one)
  })
  const failures: FailedPushes = new WeakMap()
  addHooks(app, parts, paths, failures)
  app.addSchema(ProblemSchema)
  const { basePath } = parts.settings.server
  const { origins } = parts.settings.cors
  if (origins.length > 0) await app.register(cors, corsOptions(origins))
  await app.register(swagger, documentOptions(basePath))
  const guard = new Guard(parts.services.access, parts.settings, parts.failedKeys)
  const { bodiesBytes, queryBodiesBytes } = parts.settings.limits
  const pushBodies = new BodyBudget({ bytesMax: bodiesBytes, limitName: 'limits.bodiesBytes', requests: 'pushes' })
  app.decorate(
    'sharedBodies',
    new BodyBudget({
      bytesMax: queryBodiesBytes,
      limitName: 'limits.queryBodiesBytes',
      requests: "queries and of the operator's requests",
    }),
  )
  const runningQueries = new RunningQueries(parts.services.cancelsElsewhere)
  await app.register(
    async (scope) => {
      scope.addHook('onRoute', takeBasic)
      scope.addHook('onRoute', keepAudit(parts.services, guard))
      const served = parts.settings.role === 'pipeline' ? stateRoutes : routes
      for (const route of served)
        route(scope.withTypeProvider<TypeBoxTypeProvider>(), { ...parts, guard, pushBodies, runningQueries })
    },
    { prefix: basePath },
  )
  answerPlainPushes(app.server, { ...parts, pushBodies, failures })
  closeWaitingAnswers(app.server)
  cutOffUnsent(app.server, parts.settings.limits.sendIdleMs)
  if (app.server instanceof SecureServer) parts.certificate?.use(app.server)
  watchSockets(app.server)
  answerOddRequests(app.server, parts.requestId)
  // By default Node.js silently drops headers after the 2000th, which could be a key or a forwarding header. Their bytes are bounded.
  app.server.maxHeadersCount = 0
  return app
}

/** A TLS handshake takes only a few round trips. */
const handshakeMsMax = 10_000

function bareServer(parts: ServerParts): App {
  const { settings, inFlight, certificate = null, requestId } = parts
  const { headerBytes, headersMs, requestMs, keepAliveMs, trustProxy } = settings.server
  const connections = {
    maxHeaderSize: headerBytes,
    // Passed to Node.js here too, which compares the headers timeout with it, or with its own default.
    requestTimeout: requestMs,
    headersTimeout: Math.min(headersMs, requestMs),
    connectionsCheckingInterval: Math.min(headersMs, timeoutCheckMs),
    // A missing Host is reported by a hook, as a Problem.
    requireHostHeader: false,
  }
  const speaking =
    certificate === null
      ? { http: connections }
      : {
          https: {
            ...connections,
            ...certificate.serverOptions,
            handshakeTimeout: Math.min(headersMs, handshakeMsMax),
          },
        }
  const app = fastify({
    logger: false,
    genReqId: requestId,
    trustProxy: believed(trustProxy),
    return503OnClosing: false,
    // Node.js waits a second longer than the timeout that it announces.
    keepAliveTimeout: timerMs(keepAliveMs + 1000) - 1000,
    requestTimeout: requestMs,
    routerOptions: { maxParamLength: pathPartCharactersMax },
    ...speaking,
    clientErrorHandler: (error, socket) => answerParserError(error, socket, inFlight, requestId),
    frameworkErrors: (error, request, reply) => fail(parts, error, request, reply),
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.setErrorHandler((error, request, reply) => fail(parts, error, request, reply))
  app.setNotFoundHandler((request) => {
    throw new Error(`${request.method} ${request.url} was let through without a route`)
  })
  app.setValidatorCompiler(schemaCompiler)
  // Responses are written by JSON.stringify or as bytes; their schemas are only documentation.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  // Each route reads bodies in its own hook, by its own rules.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  return app
}

/** Fastify also accepts a number, but then trusts nobody, because callers may bypass the proxies. Here the operator has declared that they do not. */
function believed(proxies: HttpSettings['server']['trustProxy']) {
  if (typeof proxies === 'number') return (_address: string, hop: number) => hop < proxies
  return proxies === false ? false : [...proxies]
}

function addHooks(app: App, { services, inFlight }: ServerParts, paths: KnownPaths, failures: FailedPushes): void {
  app.addHook('onRequest', (request, reply, done) => {
    inFlight.begin(reply)
    const problem = failures.get(request.raw)?.error ?? headProblem(request.raw)
    if (problem !== null) done(problem)
    else if (request.is404) done(paths.problem(request.method, request.raw.url ?? ''))
    else if (inFlight.stopping) done(new Problem('shutting_down', 'The service is stopping. Retry in a moment.'))
    else done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    completeHeaders(request, reply)
    done(null, payload)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const startedMs = failures.get(request.raw)?.startedMs
    services.observe({
      kind: 'requestServed',
      id: request.id,
      method: request.method,
      route: routeOf(request),
      status: reply.statusCode,
      ms: msToStream(reply.raw) ?? (startedMs === undefined ? reply.elapsedTime : performance.now() - startedMs),
    })
    done()
  })
}

function routeOf(request: FastifyRequest): string {
  return request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched')
}

function fail(
  { services, failedKeys }: ServerParts,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  discardBody(request.raw)
  const known = problemOf(error)
  if (known !== null) {
    const waitMs = failedKeys.waitMs(known, request.ip)
    if (waitMs === 0) sendProblem(request, reply, known)
    else setTimeout(sendProblem, waitMs, request, reply, known)
    return
  }
  // If the client has disconnected, the error of its query is not a failure.
  if (request.raw.socket.destroyed !== true) {
    services.observe({ kind: 'requestFailed', id: request.id, method: request.method, route: routeOf(request), error })
  }
  const detail = `The service failed; its log says why under the request id ${request.id}.`
  sendProblem(request, reply, new Problem('internal', detail))
}

function corsOptions(origins: readonly string[]): object {
  return {
    origin: origins.includes('*') ? '*' : [...origins],
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'X-API-Key',
      'Content-Type',
      'Content-Encoding',
      'Idempotency-Key',
      'MCP-Protocol-Version',
      'Mcp-Method',
      'Mcp-Name',
    ],
    exposedHeaders: [
      'Tidemark-Version',
      'Tidemark-Batch',
      'Tidemark-Answered-By',
      'X-Request-Id',
      'Retry-After',
      'Allow',
    ],
    maxAge: 600,
  }
}
