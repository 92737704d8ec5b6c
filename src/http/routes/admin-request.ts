// What the endpoints of the operator's side have in common.
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import Type, { type Static, type TProperties } from 'typebox'
import { limitOf, type PageLimits, usualLimits } from '../../model/page.ts'
import { Problem } from '../../model/problem.ts'
import { type BodyRule, jsonTypes, readJson } from '../body.ts'
import type { HttpSettings } from '../http-settings.ts'

export function readAdminBody(
  { limits }: HttpSettings,
  options: Pick<BodyRule, 'whenEmpty'> = {},
): preValidationHookHandler {
  return readJson({
    ...options,
    limitBytes: limits.adminBodyBytes,
    limitName: 'limits.adminBodyBytes',
    tooLarge: 'body_too_large',
    mediaTypes: jsonTypes,
  })
}

/** For endpoints that take no body. A body that says something was meant for another endpoint, or misspells a query parameter. */
export function refuseBody(settings: HttpSettings): preValidationHookHandler {
  const read = readAdminBody(settings, { whenEmpty: '{}' })
  return function (request, reply, done) {
    if (!hasBody(request)) {
      done()
      return
    }
    read.call(this, request, reply, (error) => done(error ?? bodyProblem(request.body) ?? undefined))
  }
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function bodyProblem(body: unknown): Problem | null {
  const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : ['']
  if (names.length === 0) return null
  const message = names[0] === '' ? 'takes no body' : 'is not a property that is taken here: there are none'
  const path = names[0]!.slice(0, 128)
  const detail = `${path === '' ? 'This endpoint' : path} ${message}.`
  return new Problem('invalid_request', detail, { errors: [{ path, message }] })
}

const pageParameters = ({ items, itemsMax }: PageLimits) => ({
  limit: Type.Optional(
    Type.String({
      description: `The most items: 1 to ${itemsMax}, by default ${items}.`,
      examples: ['100'],
    }),
  ),
  NextToken: Type.Optional(Type.String({ description: 'The `NextToken` of the page before.' })),
})
export const PageQuery = Type.Object(pageParameters(usualLimits))

/** The query parameters of a list, its own filters among them. */
export function pageQuery<Filters extends TProperties>(filters: Filters, limits: PageLimits = usualLimits) {
  return Type.Object({ ...filters, ...pageParameters(limits) }, { additionalProperties: false })
}

/** `limit` is a number, or NaN if it is none; `pageLimit` refuses that. */
export function pageRequest({ limit, NextToken }: Static<typeof PageQuery>): { limit?: number; token?: string } {
  return {
    ...(limit === undefined ? {} : { limit: limitOf(limit) }),
    ...(NextToken === undefined ? {} : { token: NextToken }),
  }
}

export const AliasParameters = Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) })

/** What a request that only reads may be refused for. */
export const readProblems = ['invalid_request', 'forbidden', 'not_acceptable', 'shutting_down'] as const

/** What a request that takes no body may be refused for. */
export const noBodyProblems = [
  'invalid_request',
  'invalid_json',
  'invalid_body',
  'body_too_large',
  'forbidden',
  'unsupported_media_type',
  'overloaded',
  'shutting_down',
] as const

/** What every request with a body may be refused for. */
export const bodyProblems = [...noBodyProblems, 'not_acceptable'] as const

/** What a list that is a query like the others may be refused for. */
export const listProblems = [
  'forbidden',
  'overloaded',
  'query_timeout',
  'not_acceptable',
  'unavailable',
  'shutting_down',
] as const

/** What every request for a page may be refused for. */
export const pageProblems = [...readProblems, 'invalid_token'] as const
