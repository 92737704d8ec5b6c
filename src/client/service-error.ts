import type { ProblemCode, ProblemError } from '../model/problem.ts'

/**
 * What the service answers with (docs/errors.md), and `unknown` where something else answered in its place. A newer service, or a gateway, may know
 * more codes: any text is one.
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

/** The service answered, and the answer is a problem. A retryable one means that nothing was stored. */
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

/** No answer came. With `sent` false the service has seen nothing of the request; otherwise nobody knows what became of it. */
export class ConnectionError extends Error {
  readonly sent: boolean
  /** Nothing answers at the address. */
  readonly unreachable: boolean
  /** There is no such host, port or scheme, or the address has no certificate that is trusted: it may have to be another one. */
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
 * The error that an answer tells of; also where something between here and the service answered in its place. The body is null where the connection
 * broke in the middle of it.
 */
export function serviceErrorOf(status: number, body: string | null, retryAfter: string | null): ServiceError {
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  const retryAfterS = Number.isFinite(seconds) && seconds >= 0 ? seconds : null
  let problem: unknown = null
  try {
    problem = JSON.parse(body ?? '')
  } catch {
    // Not a problem of the service's own: the status is all there is.
  }
  if (isRecord(problem)) {
    const { code, message, detail, errors, retryable } = problem
    // As the paths for lines tell an error. The service itself never has a gateway's status.
    if (typeof code === 'string' && typeof message === 'string' && status !== 502 && status !== 504) {
      const mayGoBetter = status === 429 || status === 503
      return new ServiceError({ status, code, detail: message, errors: [], retryable: mayGoBetter, retryAfterS })
    }
    // Others write codes and details too; each problem of the service's own says whether it may go better.
    if (typeof code === 'string' && typeof detail === 'string' && typeof retryable === 'boolean')
      return new ServiceError({ status, code, detail, errors: problemErrors(errors), retryable, retryAfterS })
  }
  const detail =
    body === null
      ? `The answer has status ${status}, and the connection broke before the rest of it came.`
      : `The answer has status ${status} and is not from a Tidemark service; is the address right?`
  return new ServiceError({ status, code: 'unknown', detail, errors: [], retryable: false, retryAfterS })
}

/** The address leads elsewhere. It is not followed there: the key is for the address that was given. */
export function redirectErrorOf(url: string, status: number, location: string | null): ServiceError {
  const detail = `${url} redirects to ${location ?? 'another address'}, which is not followed. Give the address where the service itself answers.`
  return new ServiceError({ status, code: 'unknown', detail, errors: [], retryable: false, retryAfterS: null })
}

const wrongAddressCodes = new Set([
  'ENOTFOUND',
  'ERR_INVALID_URL',
  // What `fetch` says without a code: a port or a scheme that it does not go to.
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

/** A certificate that is not trusted, not for this name, or out of its time. */
const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(GET_ISSUER|VERIFY)|ERR_TLS_CERT_)/
const plainHttpCode = 'ERR_SSL_WRONG_VERSION_NUMBER'

/** What is said of a service with which there is no TLS; null of every other reason. */
function tlsFault(url: string, reason: string): string | null {
  if (reason === plainHttpCode || reason === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
    return `${url} speaks no HTTPS (${reason}). Write http:// if the service is reached without it.`
  if (!certificateCode.test(reason)) return null
  const rule =
    reason === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'It is for another name: use a name that the certificate has.'
      : 'If an authority of your own signed it, name its file in the environment: NODE_EXTRA_CA_CERTS=/path/to/authority.pem.'
  return `The certificate of ${url} is not trusted (${reason}). ${rule}`
}

/** The code that the network gave, or else what is said deepest down. */
function reasonOf(error: unknown): { reason: string; sent: boolean } {
  let reason = String(error)
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string')
      return { reason: cause.code, sent: !notSentCodes.has(cause.code) }
    reason = cause.message
  }
  return { reason, sent: !notSentCodes.has(reason) }
}

/** The connection was closed before anything of an answer came: so does a service that waits for TLS. */
function isClosedUnheard(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!('socket' in cause)) continue
    const { socket } = cause
    return typeof socket === 'object' && socket !== null && 'bytesRead' in socket && socket.bytesRead === 0
  }
  return false
}

/** What `fetch` throws, as an error that says whether the request had been sent. */
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
  return new ConnectionError(`The connection to ${url} broke before its answer came (${reason}).${hint}`, {
    sent,
    cause: error,
  })
}
