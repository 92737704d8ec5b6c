// The pushes that programs send most, answered without the framework: it and its hooks take several times as long as all that is done
// with one row. Whatever is unusual about a request, or goes wrong with it, is the framework's (docs/decisions/journal.md).

import type {
  IncomingHttpHeaders,
  IncomingMessage,
  OutgoingHttpHeader,
  RequestListener,
  Server,
  ServerResponse,
} from 'node:http'
import type { Asker } from '../access/caller.ts'
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

/** What the framework is to answer a request with, whatever it asks, and since when the request was under way before. */
export type FailedPushes = WeakMap<IncomingMessage, { readonly error: Error; readonly startedMs: number }>

interface PlainParts extends PlainPushParts {
  readonly framework: RequestListener
  readonly bodyRule: BodyRule
}

/** Has the server answer plain pushes itself, and give all other requests to the framework as before. */
export function answerPlainPushes(server: Server, given: PlainPushParts): void {
  const { settings } = given
  // Who allows pages of other origins has headers of theirs in every answer.
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

/** Null for a request that the framework is to answer: it is unusual, or would be refused. Nothing is done with it then. */
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

/** For so long, who asks is not looked up again as long as nobody's access changes: a key may expire meanwhile. */
const askerMs = 1000

class PlainPush implements AnswerInFlight {
  readonly raw: ServerResponse
  readonly request: { readonly raw: IncomingMessage }
  readonly #parts: PlainParts
  readonly #target: PlainTarget
  readonly #startedMs = performance.now()
  #asker: Asker | null = null
  #accessChanges = 0
  /** Answered, or the framework's. */
  #sent = false
  /** Null until it is answered here. */
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

  /** Throws Problem where the rows may not be pushed. */
  admit(): ReturnType<typeof admitPush> {
    const { access } = this.#parts.services
    const isKnown =
      this.#asker !== null && this.#accessChanges === access.changes && performance.now() - this.#startedMs < askerMs
    if (!isKnown) {
      const { authorization, 'x-api-key': apiKey } = this.request.raw.headers
      const schemes = this.#target.keySchemes
      this.#asker = access.identify({ authorization, apiKey: apiKey?.toString(), schemes })
      this.#accessChanges = access.changes
    }
    return admitPush(this.#parts.services, this.#asker!, this.#target.alias)
  }

  begin(): void {
    const { inFlight, pushBodies, bodyRule } = this.#parts
    inFlight.begin(this)
    this.raw.on('close', () => this.#closed())
    readBody(this.request.raw, bodyRule, pushBodies.share(this.raw), (error, body) => {
      if (body === null) this.send(error ?? new Error('a body ended without bytes and without an error'))
      // A stop may have answered meanwhile: rows that were refused are not stored.
      else if (!this.#sent) void this.#push(body)
    })
  }

  /** The framework answers with the error. */
  send(error: Error): void {
    if (this.#sent) return
    this.#sent = true
    // The client has left: nobody is answered, and its end was told already.
    if (this.raw.destroyed) return
    const { failures, framework } = this.#parts
    const { raw } = this.request
    failures.set(raw, { error, startedMs: this.#startedMs })
    framework(raw, this.raw)
  }

  async #push(body: Buffer): Promise<void> {
    const { headers } = this.request.raw
    try {
      // Again, for a body may take minutes: what was dropped meanwhile would keep nothing of it.
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
  /** Names and values in turn, besides those that every answer has. */
  readonly headers: readonly OutgoingHttpHeader[]
  readonly text: string
}

/** Names have small letters, as the framework writes them. */
const everyAnswer: OnePiece['headers'] = Object.entries(commonHeaders(''))
  .filter(([name]) => name !== 'X-Request-Id')
  .flatMap(([name, value]) => [name.toLowerCase(), value])

/**
 * Sends an answer whose head and text are one piece, which leaves before its end is told: `end(text)` adds an empty piece, and two pieces take a
 * tenth more of all that node:http does with a request.
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
