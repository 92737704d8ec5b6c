// Handles the most common pushes without the framework, which with its hooks takes several times as long as everything else done for one row. Requests that
// are unusual in any way, or fail, are left to the framework (docs/decisions/journal.md).

import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  RequestListener,
  Server,
  ServerResponse,
} from 'node:http'
import type { Requester } from '../access/caller.ts'
import { type BodyRule, readBody } from './body.ts'
import type { BodyBudget } from './body-budget.ts'
import { commonHeaders } from './common-headers.ts'
import type { HttpSettings } from './http-settings.ts'
import { idempotencyKeyOf, isIdempotencyKey } from './idempotency-header.ts'
import type { AnswerInFlight, InFlight } from './in-flight.ts'
import { type PlainAnswer, type PlainTarget, plainTargets } from './plain-targets.ts'
import { admitPush, pushBodyRule } from './pushed-rows.ts'
import { headProblem } from './request-head.ts'
import type { Services } from './services.ts'

export interface PlainPushParts {
  readonly services: Pick<Services, 'access' | 'definitions' | 'pushes' | 'observe'>
  readonly settings: HttpSettings
  readonly inFlight: InFlight
  readonly pushBodies: BodyBudget
  readonly requestId: () => string
  readonly failures: FailedPushes
}

/** The error with which the framework must respond to a request, whatever its content, and when the request started. */
export type FailedPushes = WeakMap<IncomingMessage, { readonly error: Error; readonly startedMs: number }>

interface PlainParts extends PlainPushParts {
  readonly framework: RequestListener
  readonly bodyRule: BodyRule
}

/** Makes the server handle plain pushes itself, and pass all other requests to the framework as before. */
export function answerPlainPushes(server: Server, given: PlainPushParts): void {
  const { settings } = given
  // With CORS, every response needs headers that only the framework adds.
  if (settings.role === 'pipeline' || settings.cors.origins.length > 0) return
  const [framework] = server.listeners('request')
  if (framework === undefined) throw new Error('the framework does not listen to requests')
  const listener: RequestListener = (request, response) => Reflect.apply(framework, server, [request, response])
  const parts = { ...given, framework: listener, bodyRule: pushBodyRule(given) }
  const targetOf = plainTargets(settings.server.basePath)
  server.removeAllListeners('request').on('request', (request: IncomingMessage, response: ServerResponse) => {
    const push = plainPush(parts, targetOf, request, response)
    if (push === null) listener(request, response)
    else push.begin()
  })
}

/** Null for a request that the framework must handle, because it is unusual or would be refused. The request is then untouched. */
function plainPush(
  parts: PlainParts,
  targetOf: ReturnType<typeof plainTargets>,
  request: IncomingMessage,
  response: ServerResponse,
): PlainPush | null {
  const { method, url = '', headers } = request
  if (method !== 'POST' || parts.inFlight.stopping) return null
  const target = targetOf(url, headers['content-type'])
  if (target === null || !isPlainBody(headers, parts.bodyRule.limitBytes) || headProblem(request) !== null) return null
  const push = new PlainPush(parts, target, request, response)
  try {
    push.admit()
  } catch {
    return null
  }
  return push
}

/** False if a header is unusual or wrong. */
function isPlainBody(headers: IncomingHttpHeaders, bodyBytesMax: number): boolean {
  const length = Number(headers['content-length'] ?? 0)
  const encoding = headers['content-encoding']
  const key = idempotencyKeyOf(headers)
  return (
    length > 0 &&
    length <= bodyBytesMax &&
    headers['transfer-encoding'] === undefined &&
    (encoding === undefined || encoding === 'gzip') &&
    headers.expect === undefined &&
    headers.upgrade === undefined &&
    (key === null || isIdempotencyKey(key))
  )
}

/** How long an identified caller is reused while no access changes; its key may expire in the meantime. */
const requesterReuseMs = 1000

class PlainPush implements AnswerInFlight {
  readonly raw: ServerResponse
  readonly request: { readonly raw: IncomingMessage }
  readonly #parts: PlainParts
  readonly #target: PlainTarget
  readonly #startedMs = performance.now()
  #requester: Requester | null = null
  #accessChanges = 0
  /** Whether the request was answered or passed to the framework. */
  #sent = false
  /** Null until the request is answered here. */
  #requestId: string | null = null

  constructor(parts: PlainParts, target: PlainTarget, request: IncomingMessage, response: ServerResponse) {
    this.#parts = parts
    this.#target = target
    this.raw = response
    this.request = { raw: request }
  }

  get sent(): boolean {
    return this.#sent
  }

  /** Throws Problem when the rows may not be pushed. */
  admit(): ReturnType<typeof admitPush> {
    const { access } = this.#parts.services
    const isKnown =
      this.#requester !== null &&
      this.#accessChanges === access.changes &&
      performance.now() - this.#startedMs < requesterReuseMs
    if (!isKnown) {
      const { authorization, 'x-api-key': apiKey } = this.request.raw.headers
      const schemes = this.#target.keySchemes
      this.#requester = access.identify({ authorization, apiKey: apiKey?.toString(), schemes })
      this.#accessChanges = access.changes
    }
    return admitPush(this.#parts.services, this.#requester!, this.#target.alias)
  }

  begin(): void {
    const { inFlight, pushBodies, bodyRule } = this.#parts
    inFlight.begin(this)
    this.raw.on('close', () => this.#closed())
    readBody(this.request.raw, bodyRule, pushBodies.share(this.raw), (error, body) => {
      if (body === null) this.send(error ?? new Error('a body ended without bytes and without an error'))
      // A stop may have responded in the meantime; refused rows must not be stored.
      else if (!this.#sent) void this.#push(body)
    })
  }

  /** Lets the framework respond with the error. */
  send(error: Error): void {
    if (this.#sent) return
    this.#sent = true
    // The client has disconnected, which is already reported.
    if (this.raw.destroyed) return
    const { failures, framework } = this.#parts
    const { raw } = this.request
    failures.set(raw, { error, startedMs: this.#startedMs })
    framework(raw, this.raw)
  }

  async #push(body: Buffer): Promise<void> {
    const { headers } = this.request.raw
    try {
      // Checked again, because a body may take minutes to arrive, and rows for an ingest dropped in the meantime would be lost.
      const { subscriberId, keyId, ingest } = this.admit()
      const answer = await this.#parts.services.pushes.push({
        subscriberId,
        keyId,
        ingest,
        body,
        format: this.#target.formatOf(ingest),
        idempotencyKey: idempotencyKeyOf(headers),
        wait: false,
      })
      this.#answer(this.#target.answerOf(answer))
    } catch (error) {
      this.send(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #answer(answer: PlainAnswer): void {
    if (this.#sent) return
    this.#sent = true
    const requestId = this.#parts.requestId()
    this.#requestId = requestId
    sendOnePiece(this.raw, { requestId, ...answer })
  }

  #closed(): void {
    const id = this.#requestId
    if (id === null || !this.raw.writableFinished) return
    const ms = performance.now() - this.#startedMs
    this.#parts.services.observe({
      kind: 'requestServed',
      ...{ id, method: 'POST', route: this.#target.route, status: this.raw.statusCode, ms },
    })
  }
}

interface OnePiece {
  readonly requestId: string
  readonly status: number
  /** Alternating names and values, in addition to the common headers. */
  readonly headers: readonly OutgoingHttpHeader[]
  readonly text: string
}

/** Names are in lower case, as the framework writes them. */
const everyAnswer: OnePiece['headers'] = Object.entries(commonHeaders(''))
  .filter(([name]) => name !== 'X-Request-Id')
  .flatMap(([name, value]) => [name.toLowerCase(), value])

/**
 * Sends head and text as one chunk before ending the response. `end(text)` would add an empty chunk, and two chunks cost 10 % more of node:http's total time
 * for a request.
 */
function sendOnePiece(raw: ServerResponse, { requestId, status, headers, text }: OnePiece): void {
  raw.writeHead(status, [...everyAnswer, 'x-request-id', requestId, ...headers])
  if (text === '') {
    raw.end()
    return
  }
  raw.write(text)
  raw.socket?.uncork()
  raw.end()
}
