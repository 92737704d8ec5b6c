// The paths of requests, and the parameters in them.
import type { PageRequest, ReplayChanges } from './answers.ts'

export interface RejectedSelection extends PageRequest {
  readonly batch?: string
  readonly code?: string
  readonly field?: string
}

/** `all`: rejected rows of all pushers, for operators. `own`: the caller's own. */
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

/** A replay of the rows with these ids, or of all rows for null; `what` is appended to its path. */
export function replayRequest(alias: string, ids: readonly string[] | null, changes: ReplayChanges, what = '') {
  const body = JSON.stringify({ ...(ids === null ? {} : { ids }), ...changes })
  return { method: 'POST', path: `/admin/ingests/${segment(alias)}/rejected/replay${what}`, body } as const
}
