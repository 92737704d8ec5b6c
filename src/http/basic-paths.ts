// Where a key may also be the password of Basic authentication: tools that know an address know a user and a password beside it, and no header.
import type { onRouteHookHandler } from 'fastify'
import type { KeyScheme } from '../access/keys.ts'

const basicPath = /^\/(?:(?:consumer|i3x|ingests?)\/|mcp$)/

/** The ways to show a key, besides `Bearer`, that a path of the service takes. `path` is without `server.basePath`. */
export function keySchemesAt(path: string): readonly KeyScheme[] {
  return basicPath.test(path) ? ['basic'] : []
}

/** Has these routes take it, and the OpenAPI document say so. */
export const takeBasic: onRouteHookHandler = (route) => {
  const keySchemes = keySchemesAt(route.routePath)
  if (keySchemes.length === 0) return
  route.config = { ...route.config, keySchemes }
  const { security } = route.schema ?? {}
  if (security !== undefined) route.schema = { ...route.schema, security: [...security, { basic: [] }] }
}
