// Refusals in the forms that callers know: a Problem; on the paths of other systems also the forms of those systems.
import type { IncomingHttpHeaders } from 'node:http'
import { problems } from '../../src/model/problem.ts'

/** The content of a refusal in any form. */
export interface Refusal {
  /** The status in the body; null where the form has none. */
  readonly status: number | null
  readonly code: string
  readonly detail: string
}

interface Form {
  readonly paths: RegExp
  readonly contentType: string
  readonly read: (body: Record<string, unknown>) => Refusal
}

const forms: readonly Form[] = [
  {
    paths: /^/,
    contentType: 'application/problem+json',
    read: problemIn,
  },
  {
    paths: /^\/(druid|status)\b/,
    contentType: 'application/json',
    read: ({ errorMessage, context }) => ({ status: null, code: codeIn(context), detail: text(errorMessage) }),
  },
  {
    paths: /^\/(api\/v2\/write|write|ping|health)\b/,
    contentType: 'application/json',
    read: ({ code, message }) => ({ status: null, code: String(code), detail: text(message) }),
  },
  {
    paths: /^\/query\b/,
    contentType: 'application/json',
    read: ({ code, error }) => ({ status: null, code: String(code), detail: text(error) }),
  },
  {
    paths: /^\/i3x\/v1\b/,
    contentType: 'application/json',
    read: ({ responseDetail }) => problemIn(Object(responseDetail)),
  },
  {
    // JSON-RPC has numeric codes for malformed messages, so there is no code of a Problem.
    paths: /^\/mcp\b/,
    contentType: 'application/json',
    read: ({ error }) => ({ status: null, code: 'invalid_request', detail: messageIn(error) }),
  },
]

const avatica = /^\/druid\/v2\/sql\/avatica(-protobuf)?\b/

/** JDBC drivers read error details only from a 500 (docs/decisions/clients.md). A real failure of the service says that its log has the reason. */
export function isOfDriver(target: string, body: string): boolean {
  return avatica.test(target) && /ErrorResponse|"response":"error"/.test(body) && !body.includes('its log says why')
}

/** Null where a body does not have a form of its path, has an unknown code, or has no message. */
export function refusalIn(target: string, headers: IncomingHttpHeaders, body: string): Refusal | null {
  const contentType = headers['content-type']?.split(';')[0]
  if (avatica.test(target) && /ErrorResponse|"response":"error"/.test(body))
    return {
      status: null,
      code: /in flight take|Try again later/.test(body) ? 'overloaded' : 'invalid_request',
      detail: 'told',
    }
  const form = forms.find(({ paths, contentType: type }) => type === contentType && paths.test(target))
  if (form === undefined) return null
  try {
    const refusal = form.read(JSON.parse(body))
    return refusal.code in problems && refusal.detail !== '' ? refusal : null
  } catch {
    return null
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function problemIn({ status, code, detail }: Readonly<Record<string, unknown>>): Refusal {
  return { status: Number(status), code: String(code), detail: text(detail) }
}

function messageIn(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error ? text(error.message) : ''
}

function codeIn(context: unknown): string {
  return typeof context === 'object' && context !== null && 'code' in context ? String(context.code) : ''
}
