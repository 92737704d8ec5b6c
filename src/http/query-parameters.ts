// What may stand behind the question mark: what a route names, and nothing else unless it says so.
import type { RouteOptions } from 'fastify'
import Type from 'typebox'

/** For routes that take whatever comes and make nothing of it: what watches a service adds parameters of its own. */
export const anyParameters = Type.Object({})

const noParameters = Type.Object({}, { additionalProperties: false })

/** A route that names no query parameters takes none: one that is misspelt, or was meant for the body, must not go unheard. */
export function closeParameters(route: RouteOptions): void {
  const { schema } = route
  if (schema !== undefined && schema.querystring === undefined) route.schema = { ...schema, querystring: noParameters }
}
