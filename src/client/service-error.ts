import type { ProblemCode, ProblemError } from '../model/problem.ts'

/**
 * The service's error codes (docs/errors.md), and `unknown` if something else responded in its place. A newer service, or a gateway, may have further
 * codes, so any text is valid.
 */
export type ErrorCode = ProblemCode | 'unknown' | (string & Record<never, never>)

export interface ServiceErrorDetails {
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly ProblemError[]
  readonly retryable: boolean
  readonly retryAfterS: number | null
}

/** The service responded with a problem. If it is retryable, nothing was stored. */
export class ServiceError extends Error {
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly errors: readonly ProblemError[]
  readonly retryable: boolean
  readonly retryAfterS: number | null

  constructor(details: ServiceErrorDetails) {
    super(details.detail)
    this.name = 'ServiceError'
    this.status = details.status
    this.code = details.code
    this.detail = details.detail
    this.errors = details.errors
    this.retryable = details.retryable
    this.retryAfterS = details.retryAfterS
  }
}

/** There was no response. If `sent` is false, the service has not seen the request; otherwise its outcome is unknown. */
export class ConnectionError extends Error {
  readonly sent: boolean
  /** Nothing responds at the address. */
  readonly unreachable: boolean
  /** The host, port or scheme does not exist, or the certificate is not trusted: the address may be wrong. */
  readonly wrongAddress: boolean

  constructor(
    message: string,
    options: {
      readonly sent: boolean
      readonly unreachable?: boolean
      readonly wrongAddress?: boolean
      readonly cause: unknown
    },
  ) {
    super(message, { cause: options.cause })
    this.name = 'ConnectionError'
    this.sent = options.sent
    this.unreachable = options.unreachable ?? false
    this.wrongAddress = options.wrongAddress ?? false
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function problemErrors(value: unknown): ProblemError[] {
  if (!Array.isArray(value)) return []
  return value
    .filter(isRecord)
    .map(({ path, message }) => ({ path: String(path ?? ''), message: String(message ?? '') }))
}

/**
 * The error in a response, including one that a gateway sent in place of the service. The body is null if the connection broke in the middle of it.
 */
export function serviceErrorOf(status: number, body: string | null, retryAfter: string | null): ServiceError {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  const retryAfterS = Number.isFinite(seconds) && seconds >= 0 ? seconds : null
  let problem: unknown = null
  try {
    problem = JSON.parse(body ?? '')
  } catch {
    // Not a problem of the service: only the status is known.
  }
  if (isRecord(problem)) {
    const { code, message, detail, errors, retryable } = problem
    // The format of errors on the paths for lines. The service itself never uses a gateway's status.
    if (typeof code === 'string' && typeof message === 'string' && status !== 502 && status !== 504) {
      const mayGoBetter = status === 429 || status === 503
      return new ServiceError({ status, code, detail: message, errors: [], retryable: mayGoBetter, retryAfterS })
    }
    // Other software uses codes and details too; only the service's own problems have `retryable`.
    if (typeof code === 'string' && typeof detail === 'string' && typeof retryable === 'boolean')
      return new ServiceError({ status, code, detail, errors: problemErrors(errors), retryable, retryAfterS })
  }
  const detail =
    body === null
      ? `The answer has status ${status}, and the connection broke before the rest of it arrived.`
      : `The answer has status ${status} and is not from a Tidemark service; is the address right?`
  return new ServiceError({ status, code: 'unknown', detail, errors: [], retryable: false, retryAfterS })
}

/** The address redirects. The redirect is not followed, since the key is for the given address. */
export function redirectErrorOf(url: string, status: number, location: string | null): ServiceError {
  const detail = `${url} redirects to ${location ?? 'another address'}, which is not followed. Give the address where the service itself answers.`
  return new ServiceError({ status, code: 'unknown', detail, errors: [], retryable: false, retryAfterS: null })
}

const wrongAddressCodes = new Set([
  'ENOTFOUND',
  'ERR_INVALID_URL',
  // Messages of `fetch` errors without a code: a blocked port or an unsupported scheme.
  'bad port',
  'unknown scheme',
])

const notSentCodes = new Set([
  ...wrongAddressCodes,
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** A certificate that is untrusted, for another name, or outside its validity period. */
const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY)|ERR_TLS_CERT_)/
const plainHttpCode = 'ERR_SSL_WRONG_VERSION_NUMBER'

/** The message for a service without working TLS; null for any other reason. */
function tlsFault(url: string, reason: string): string | null {
  if (reason === plainHttpCode || reason === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return `${url} does not speak HTTPS (${reason}). Write http:// if the service is reached without it.`
  if (!certificateCode.test(reason)) return null
  const rule =
    reason === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'It is for another name: use a name that the certificate has.'
      : 'If your own authority signed it, name its file in the environment: NODE_EXTRA_CA_CERTS=/path/to/authority.pem.'
  return `The certificate of ${url} is not trusted (${reason}). ${rule}`
}

/** The error code of the network, or else the innermost message. */
function reasonOf(error: unknown): { reason: string; sent: boolean } {
  let reason = String(error)
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string')
      return { reason: cause.code, sent: !notSentCodes.has(cause.code) }
    reason = cause.message
  }
  return { reason, sent: !notSentCodes.has(reason) }
}

/** The connection was closed before the first byte of a response, as by a service that expects TLS. */
function isClosedUnheard(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!('socket' in cause)) continue
    const { socket } = cause
    return typeof socket === 'object' && socket !== null && 'bytesRead' in socket && socket.bytesRead === 0
  }
  return false
}

/** Turns an error of `fetch` into one that says whether the request had been sent. */
export function connectionErrorOf(url: string, error: unknown): ConnectionError {
  const { reason, sent } = reasonOf(error)
  const fault = tlsFault(url, reason)
  if (fault !== null) return new ConnectionError(fault, { sent: false, wrongAddress: true, cause: error })
  if (!sent) {
    const message = `Cannot reach ${url} (${reason}). Does the service run, and is this its address?`
    const wrongAddress = wrongAddressCodes.has(reason)
    return new ConnectionError(message, { sent, unreachable: true, wrongAddress, cause: error })
  }
  const hint = /^http:/i.test(url) && isClosedUnheard(error) ? ' If the service speaks HTTPS, write https://.' : ''
  return new ConnectionError(`The connection to ${url} broke before its answer arrived (${reason}).${hint}`, {
    sent,
    cause: error,
  })
}
