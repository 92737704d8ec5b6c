// Query parameters: those that a route names, and no others unless it allows them.
import type { RouteOptions } from 'fastify'
import Type from 'typebox'

/** For routes that ignore all query parameters: monitoring tools add their own. */
export const anyParameters = Type.Object({})

const noParameters = Type.Object({}, { additionalProperties: false })

/** Makes a route that names no query parameters refuse all of them, so that a misspelt one, or one meant for the body, is reported. */
export function closeParameters(route: RouteOptions): void {
  const { schema } = route
  if (schema !== undefined && schema.querystring === undefined) route.schema = { ...schema, querystring: noParameters }
}
