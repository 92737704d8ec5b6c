// The catalogue of all errors that callers can receive (RFC 9457 bodies; docs/errors.md explains each code, and a test compares the two).

interface ProblemKind {
  readonly status: number
  readonly title: string
}

export const problems = {
  // Errors in the request.
  invalid_request: { status: 400, title: 'The request is not valid' },
  invalid_json: { status: 400, title: 'The body is not JSON' },
  invalid_body: { status: 400, title: 'The body is not valid' },
  body_too_large: { status: 400, title: 'The body is too large' },
  too_many_rows: { status: 400, title: 'The body has too many rows' },
  malformed_http: { status: 400, title: 'The request is not valid HTTP' },
  unsupported_native_query: { status: 400, title: 'The native query has an unsupported part' },
  unknown_entity: { status: 400, title: 'There is no such entity' },
  rows_expired: { status: 400, title: 'The rows have expired' },
  idempotency_key_reused: { status: 400, title: 'The idempotency key was used for another body' },
  invalid_token: { status: 400, title: 'The token is not valid' },
  // Access.
  forbidden: { status: 403, title: 'Access is forbidden' },
  // The resource does not exist, or does not support the operation.
  path_not_found: { status: 404, title: 'There is no such path' },
  ingest_not_found: { status: 404, title: 'There is no such ingest' },
  batch_not_found: { status: 404, title: 'There is no such batch' },
  table_not_found: { status: 404, title: 'There is no such metadata entity' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The path does not support this method' },
  not_acceptable: { status: 406, title: 'No accepted format is available' },
  request_timeout: { status: 408, title: 'The request took too long to arrive' },
  conflict: { status: 409, title: 'The request conflicts with existing data' },
  // Limits.
  query_body_too_large: { status: 413, title: 'The request is too large' },
  result_too_large: { status: 413, title: 'The answer would be too large' },
  too_many_buckets: { status: 413, title: 'The answer would have too many buckets' },
  unsupported_media_type: { status: 415, title: 'The type or encoding of the body is not supported' },
  ingest_blocked: { status: 423, title: 'The ingest is blocked' },
  too_many_requests: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  // Server-side failures.
  internal: { status: 500, title: 'The service failed' },
  damaged_data: { status: 500, title: 'Stored rows are damaged' },
  overloaded: { status: 503, title: 'The service is overloaded' },
  unavailable: { status: 503, title: 'A part of the service is not available' },
  query_timeout: { status: 503, title: 'The query took too long' },
  query_canceled: { status: 503, title: 'The query was canceled' },
  shutting_down: { status: 503, title: 'The service is shutting down' },
} as const satisfies Record<string, ProblemKind>

export type ProblemCode = keyof typeof problems

/** Queries that were cancelled, or would time out again: not retryable. */
const ended: ReadonlySet<ProblemCode> = new Set(['query_timeout', 'query_canceled'])

/** `path` is the name of the property (`ids[0]`), empty for the whole body. */
export interface ProblemError {
  readonly path: string
  readonly message: string
}

export interface ProblemOptions {
  readonly errors?: readonly ProblemError[]
  readonly retryAfterS?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** The body of an error response. */
export interface ProblemBody {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly retryable: boolean
  readonly errors?: readonly ProblemError[]
}

/** An expected failure that is reported to the caller; `detail` explains how to resolve it. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: readonly ProblemError[] | undefined
  readonly retryAfterS: number | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'Problem'
    this.code = code
    this.errors = options.errors
    this.headers = options.headers ?? {}
    this.retryAfterS = options.retryAfterS ?? (this.retryable ? 1 : undefined)
  }

  get status(): number {
    return problems[this.code].status
  }

  /** Whether the same request may succeed later. */
  get retryable(): boolean {
    return (this.status === 429 || this.status === 503) && !ended.has(this.code)
  }

  body(): ProblemBody {
    const { status, title } = problems[this.code]
    const base = {
      type: 'about:blank',
      title,
      status,
      detail: this.message,
      code: this.code,
      retryable: this.retryable,
    }
    return this.errors === undefined ? base : { ...base, errors: this.errors }
  }
}

/** An `invalid_request` error at a single path. */
export function invalidRequest(path: string, message: string): Problem {
  return new Problem('invalid_request', path === '' ? message : `${path}: ${message}`, { errors: [{ path, message }] })
}
