// Paths where a key may also be the password of Basic authentication: many tools support an address with user and password, but no custom headers.
import type { onRouteHookHandler } from 'fastify'
import type { KeyScheme } from '../access/keys.ts'

const basicPath = /^\/(?:(?:consumer|i3x|ingests?)\/|mcp$)/

/** The authentication schemes, in addition to `Bearer`, that a path accepts. `path` is without `server.basePath`. */
export function keySchemesAt(path: string): readonly KeyScheme[] {
  return basicPath.test(path) ? ['basic'] : []
}

/** Enables it on these routes and in the OpenAPI document. */
export const takeBasic: onRouteHookHandler = (route) => {
  const keySchemes = keySchemesAt(route.routePath)
  if (keySchemes.length === 0) return
  route.config = { ...route.config, keySchemes }
  const { security } = route.schema ?? {}
  if (security !== undefined) route.schema = { ...route.schema, security: [...security, { basic: [] }] }
}
