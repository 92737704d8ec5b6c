// Builders for the table of requests: one line each, which reads as the request that a client sends.
import type { Difference } from './differences.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** A DELETE of this path while the request is being answered; its status counts too. */
  readonly canceledBy?: string
}

export interface Asked extends HttpRequest {
  /** The differences that this request shows. */
  readonly differs: readonly Difference[]
}

const json = { 'content-type': 'application/json' }

export const entity = 'plant'

/** A query in SQL; `more` holds further members of the body. */
export function sql(query: string, more: object = {}, ...differs: Difference[]): Asked {
  return posted('/druid/v2/sql', JSON.stringify({ query, ...more }), json, ...differs)
}

/** A native query of the entity. */
export function native(query: object, ...differs: Difference[]): Asked {
  const body = { dataSource: entity, intervals: ['2026-01-01/2026-01-04'], ...query }
  return posted('/druid/v2', JSON.stringify(body), json, ...differs)
}

/** A request with this body, unchanged. */
export function posted(
  path: string,
  body: string | null,
  headers: Readonly<Record<string, string>> = json,
  ...differs: Difference[]
): Asked {
  return { method: 'POST', path, headers, body, differs }
}

export function bare(method: HttpRequest['method'], path: string, ...differs: Difference[]): Asked {
  return { method, path, headers: {}, body: null, differs }
}

/** A long query that is canceled while it runs. */
export function canceled(asked: Asked, canceledBy: string): Asked {
  return { ...asked, canceledBy }
}

/** The title of the request's test. */
export function titleOf({ method, path, headers, body, canceledBy }: HttpRequest): string {
  const type = Object.values(headers).filter((value) => value !== 'application/json')
  const end = canceledBy === undefined ? '' : `, canceled by DELETE ${canceledBy}`
  return [method, path, ...type, body ?? ''].join(' ').trimEnd() + end
}
