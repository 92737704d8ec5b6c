import { type AnswerFormat, formatMediaType } from '../model/answer-format.ts'
import { fixMissedCloses } from './early-close.ts'
import { connectionErrorOf, redirectErrorOf, serviceErrorOf } from './service-error.ts'

fixMissedCloses()

export type PushFormat = 'json' | 'ndjson'
export interface ClientOptions {
  /** The address of the service, with its base path if it has one: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly key?: string | undefined
  readonly fetch?: typeof fetch
}

/** A request to the service. */
interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string | Uint8Array
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** The address without a trailing slash. Throws a `TypeError` if it is invalid: otherwise every request would fail and be retried. */
function addressOf(options: ClientOptions | undefined): string {
  const url: unknown = options?.url
  const text = url instanceof URL ? url.href : url
  if (typeof text === 'string' && /^https?:\/\//i.test(text) && URL.canParse(text))
    return text.replace(/(?<!\/)\/+$/, '')
  const given = typeof text === 'string' ? `url is "${text}"` : 'url is missing'
  throw new TypeError(`${given}; give the address of the service as in { url: "http://127.0.0.1:8080" }.`)
}

/** The type that Node.js and browsers share. */
type RequestBody = NonNullable<RequestInit['body']>

/** Whether a response has the requested media type. A gateway may send a page of its own with a success status. */
function isOfType({ headers }: Response, accept: string): boolean {
  const type = headers.get('content-type')
  return type === null || accept === '*/*' || type.split(';')[0]!.trim().toLowerCase() === accept
}

/** Browsers hide everything about a redirect, even its status. */
function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'))
}

/** Sends requests with a key, and turns error responses into errors. */
export class Transport {
  readonly url: string
  readonly #key: string | undefined
  readonly #fetch: typeof fetch

  constructor(options: ClientOptions) {
    this.url = addressOf(options)
    this.#key = options.key
    this.#fetch = options.fetch ?? fetch
  }

  async json<Answer>(call: Call): Promise<Answer> {
    const text = await this.text(call)
    try {
      return JSON.parse(text)
    } catch (error) {
      // The end may be lost if the response does not state its length, as with a gateway that speaks HTTP/1.0.
      throw connectionErrorOf(this.url, error)
    }
  }

  /** A header of the response. */
  async header(call: Call, name: string): Promise<string> {
    const { status, headers } = await this.#call(call)
    const value = headers.get(name)
    if (value === null) throw serviceErrorOf(status, '', null)
    return value
  }

  async text(call: Call): Promise<string> {
    const response = await this.#call(call)
    try {
      return await response.text()
    } catch (error) {
      throw connectionErrorOf(this.url, error)
    }
  }

  /** The response as it arrives. Ending the iteration early aborts it. */
  async *bytes(path: string, body: object | string, format: AnswerFormat = 'json'): AsyncGenerator<Uint8Array> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { accept: formatMediaType(format) }
    yield* this.stream({ method: 'POST', path, body: text, headers })
  }

  /** As `bytes`, for any call. */
  async *stream(call: Call): AsyncGenerator<Uint8Array> {
    const response = await this.#call(call)
    const reader = response.body?.getReader()
    if (reader === undefined) throw serviceErrorOf(response.status, '', null)
    try {
      // Not every browser supports iterating over a stream.
      for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
    } catch (error) {
      throw connectionErrorOf(this.url, error)
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }

  async #call({ method, path, body, contentType, headers: more, idempotencyKey, signal }: Call): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...more }
    if (body !== undefined) headers['content-type'] = contentType ?? 'application/json'
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    if (this.#key !== undefined) headers['authorization'] = `Bearer ${this.#key}`
    let response: Response
    // A browser's own fetch throws if it is called as a method of another object.
    const send = this.#fetch
    try {
      const sent = body === undefined ? {} : { body: body as RequestBody }
      response = await send(this.url + path, {
        method,
        headers,
        redirect: 'manual',
        signal: signal ?? null,
        ...sent,
      })
      if (response.ok && isOfType(response, headers['accept']!)) return response
    } catch (error) {
      throw connectionErrorOf(this.url, error)
    }
    if (!response.ok && !isRedirect(response)) {
      const text = await response.text().catch(() => null)
      throw serviceErrorOf(response.status, text, response.headers.get('retry-after'))
    }
    // The rest of an unwanted page is not read.
    await response.body?.cancel().catch(() => undefined)
    if (response.ok) throw serviceErrorOf(response.status, '', null)
    throw redirectErrorOf(this.url, response.status, response.headers.get('location'))
  }
}
