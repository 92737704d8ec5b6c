// Common parts of the operator's endpoints.
import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import Type, { type Static, type TProperties } from 'typebox'
import { defaultLimits, limitOf, type PageLimits } from '../../model/page.ts'
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

/** For endpoints without a body. A non-empty body was meant for another endpoint, or is a misplaced query parameter. */
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
  const message = names[0] === '' ? 'takes no body' : 'is not a property of this request, which has none'
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
export const PageQuery = Type.Object(pageParameters(defaultLimits))

/** The query parameters of a list, including its filters. */
export function pageQuery<Filters extends TProperties>(filters: Filters, limits: PageLimits = defaultLimits) {
  return Type.Object({ ...filters, ...pageParameters(limits) }, { additionalProperties: false })
}

/** `limit` is a number, or NaN if the text is not one; `pageLimit` refuses NaN. */
export function pageRequest({ limit, NextToken }: Static<typeof PageQuery>): { limit?: number; token?: string } {
  return {
    ...(limit === undefined ? {} : { limit: limitOf(limit) }),
    ...(NextToken === undefined ? {} : { token: NextToken }),
  }
}

export const AliasParameters = Type.Object({ alias: Type.String({ description: 'The alias of the ingest.' }) })

/** Possible errors of a request that only reads. */
export const readProblems = ['invalid_request', 'forbidden', 'not_acceptable', 'shutting_down'] as const

/** Possible errors of a request without a body. */
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

/** Possible errors of every request with a body. */
export const bodyProblems = [...noBodyProblems, 'not_acceptable'] as const

/** Possible errors of a list that runs as a query. */
export const listProblems = [
  'forbidden',
  'overloaded',
  'query_timeout',
  'not_acceptable',
  'unavailable',
  'shutting_down',
] as const

/** Possible errors of every request for a page. */
export const pageProblems = [...readProblems, 'invalid_token'] as const
