// Makes sure that each change by an operator is in the audit log before its response is sent.
import type { FastifyRequest, onRouteHookHandler, onSendAsyncHookHandler, RouteHandlerMethod } from 'fastify'
import { isCaller } from '../access/caller.ts'
import type { Asked, Audit, ReadState } from '../admin/audit.ts'
import type { Guard } from './guard.ts'
import type { Services } from './services.ts'

/** Describes a route's change for the audit log. The caller is added automatically. */
export interface AuditedRoute {
  /** The members of the path, or else of the body, that name the changed object. */
  readonly name: readonly string[]
  /** Reads the state of the changed object; absent where rows or files change, for which only counts are logged. */
  readonly state?: ReadState
  /** Returns the state to log after a deletion, given the query parameters; null by default. */
  readonly gone?: (query: Members) => unknown
  /** Whether the body requests a dry run, which is not logged. */
  readonly isDry?: (body: Members) => boolean
}

type Members = Readonly<Record<string, unknown>>

const readingMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Throws an Error for an operator route that makes changes and does not define its audit. */
export function keepAudit({ audit }: Pick<Services, 'audit'>, guard: Guard): onRouteHookHandler {
  return (route) => {
    const { method, routePath, schema, config } = route
    const isOperators = routePath.startsWith('/admin/') && ![method].flat().every((one) => readingMethods.includes(one))
    const audited = config?.audited
    if (isOperators && audited === undefined) {
      throw new Error(`${String(method)} ${routePath} changes something: its config must say what the audit records`)
    }
    if (audited === undefined || audited === false) return
    const what = operationId(schema)
    const changes = new WeakMap<FastifyRequest, ReturnType<Audit['change']>>()
    const { handler } = route
    const inAudit: RouteHandlerMethod = function (request, reply) {
      if (audited.isDry?.(membersOf(request.body)) === true) return handler.call(this, request, reply)
      const change = audit.change(askedBy(request, { what, audited, guard }))
      changes.set(request, change)
      return change.run(async () => handler.call(this, request, reply))
    }
    const keepLine: onSendAsyncHookHandler = async (request, reply, payload) => {
      if (reply.statusCode < 300) await changes.get(request)?.keepLine()
      return payload
    }
    route.handler = inAudit
    route.onSend = [keepLine, ...[route.onSend].flat().filter((hook) => hook !== undefined)]
  }
}

function operationId(schema: unknown): string {
  if (typeof schema === 'object' && schema !== null && 'operationId' in schema) return String(schema.operationId)
  throw new Error('a route that the audit tells of has an operationId')
}

interface AuditedRequest {
  readonly what: string
  readonly audited: AuditedRoute
  readonly guard: Guard
}

function askedBy(request: FastifyRequest, { what, audited, guard }: AuditedRequest): Asked {
  const requester = guard.requester(request)
  const known = isCaller(requester) ? requester : null
  const members: Members = { ...membersOf(request.body), ...membersOf(request.params) }
  const name = audited.name.length === 0 ? null : audited.name.map((member) => String(members[member])).join('/')
  const { state, gone } = audited
  return {
    key: known?.keyId ?? null,
    subscriber: known?.subscriber ?? null,
    address: request.ip,
    request: request.id,
    what,
    name,
    state:
      state === undefined
        ? undefined
        : async (sources) => (await state(sources, name ?? '')) ?? gone?.(membersOf(request.query)) ?? null,
  }
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
