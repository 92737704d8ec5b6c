// The paths of requests, and what of a request stands in them.
import type { PageRequest, ReplayChanges } from './answers.ts'

export interface RejectedSelection extends PageRequest {
  readonly batch?: string
  readonly code?: string
  readonly field?: string
}

/** Rejected rows of `all` pushers, for an operator, or one's `own`. */
export type WhoseRows = 'all' | 'own'

export function search(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query}`
}

export const segment = encodeURIComponent

export function ingestPath(alias: string, of: WhoseRows): string {
  return `${of === 'own' ? '' : '/admin'}/ingests/${segment(alias)}`
}

/** A replay of the rows with these ids, or all where it is null; `what` is behind the path of a replay. */
export function replayRequest(alias: string, ids: readonly string[] | null, changes: ReplayChanges, what = '') {
  const body = JSON.stringify({ ...(ids === null ? {} : { ids }), ...changes })
  return { method: 'POST', path: `/admin/ingests/${segment(alias)}/rejected/replay${what}`, body } as const
}
