import { randomUUID } from 'node:crypto'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { addAbortSignal } from 'node:stream'
import { unlessAborted } from '../lib/cancellation.ts'
import { systemTimer, type Timer } from '../lib/timer.ts'
import { brokenOff, DruidFailure, druidUnavailable, endedBy, pageInstead, readFailure } from './druid-failure.ts'
import { QueryCancels } from './query-cancels.ts'

export interface DruidClientSettings {
  /** The URL for queries: the router or a broker. Without a slash at the end. */
  readonly queryUrl: string
  /** The URL for supervisors and the coordinator's rules: the router or the overlord. */
  readonly managementUrl: string
  /** Basic authentication; null for none. */
  readonly credentials: { readonly user: string; readonly password: string } | null
  /** PEM of trusted authorities; null for those of the system. */
  readonly ca: string | null
  /** The most connections for queries at once. */
  readonly connections: number
  /** Time limit of one management request. */
  readonly managementTimeoutMs: number
}

/** Native queries and SQL differ only in their paths. */
export type QueryLanguage = 'native' | 'sql'

export interface QueryOptions {
  readonly signal: AbortSignal
  /** After this time Druid ends the query on its own. */
  readonly timeoutMs: number
}

export interface Clock {
  /** Monotonic, from an arbitrary start. */
  readonly nowMs: () => number
  readonly timer: Timer
}

interface Sent {
  readonly method: string
  readonly url: string
  readonly body: string | null
  readonly agent: HttpAgent | HttpsAgent
}

const queryPaths: Readonly<Record<QueryLanguage, string>> = { native: '/druid/v2', sql: '/druid/v2/sql' }
/** The most bytes of an error's body that are read. */
const errorBytesMax = 65_536
/** Enough for supervisors and rules. Cancels have the same number of separate connections, so that they do not wait for a query's connection. */
const managementConnections = 8
const systemClock: Clock = { nowMs: () => performance.now(), timer: systemTimer }

/** HTTP client for Druid. Connections are reused and bounded. A query whose signal is aborted is cancelled in Druid too. */
export class DruidClient {
  readonly #settings: DruidClientSettings
  readonly #queryAgent: HttpAgent | HttpsAgent
  readonly #cancelAgent: HttpAgent | HttpsAgent
  readonly #managementAgent: HttpAgent | HttpsAgent
  readonly #headers: Readonly<Record<string, string>>
  readonly #nowMs: () => number
  readonly #cancels: QueryCancels

  constructor(settings: DruidClientSettings, { nowMs, timer }: Clock = systemClock) {
    this.#settings = settings
    this.#nowMs = nowMs
    this.#cancels = new QueryCancels({ send: (path) => this.#cancel(path), timer })
    this.#queryAgent = newAgent(settings.queryUrl, settings.connections, settings.ca)
    this.#cancelAgent = newAgent(settings.queryUrl, managementConnections, settings.ca)
    this.#managementAgent = newAgent(settings.managementUrl, managementConnections, settings.ca)
    const { credentials } = settings
    const token = credentials && Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')
    this.#headers = {
      'Content-Type': 'application/json',
      ...(token === null ? {} : { Authorization: `Basic ${token}` }),
    }
  }

  /**
   * The bytes of a query's response, as they arrive. Throws `DruidFailure` when Druid refuses or fails, Problem `unavailable` when it is unavailable or its
   * response breaks off, and the signal's reason when it is aborted.
   *
   * A query that is abandoned before Druid responds keeps its connection until Druid has its cancel. So the queries that Druid has of this client, abandoned
   * ones too, are never more than the connections: a broker whose own connections are all taken could not forward a cancel.
   */
  async *query(language: QueryLanguage, query: object, { signal, timeoutMs }: QueryOptions): AsyncGenerator<Buffer> {
    signal.throwIfAborted()
    const id = randomUUID()
    // An SQL query has two ids: one of the statement, and one of the native query that it is planned into.
    const names = language === 'sql' ? { sqlQueryId: id, queryId: id } : { queryId: id }
    const body = JSON.stringify({ ...query, context: { ...contextOf(query), timeout: timeoutMs, ...names } })
    const url = `${this.#settings.queryUrl}${queryPaths[language]}`
    const request = this.#send({ method: 'POST', url, body, agent: this.#queryAgent })
    let sentMs: number | null = null
    let isAnswered = false
    let isWhole = false
    request.once('socket', () => {
      sentMs = this.#nowMs()
    })
    try {
      const response = await unlessAborted(responseOf(request), signal)
      isAnswered = true
      yield* bytesOf(response, signal)
      isWhole = true
    } catch (error) {
      isAnswered ||= error instanceof DruidFailure
      signal.throwIfAborted()
      throw error
    } finally {
      // A query that still waited for a connection was never sent.
      if (sentMs === null) request.destroy()
      else if (!isWhole) {
        const paths = Object.values(language === 'sql' ? queryPaths : [queryPaths.native]).map(
          (path) => `${path}/${id}`,
        )
        const onCancelled = (): void => void request.destroy()
        this.#cancels.cancel({ paths, ageMs: this.#nowMs() - sentMs, isAnswered, timeoutMs, onCancelled })
      }
    }
  }

  /** One request to the overlord or the coordinator. Returns the parsed JSON, null for an empty body. Throws as `query` does. */
  async manage(method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown = null): Promise<unknown> {
    const url = `${this.#settings.managementUrl}${path}`
    const text = body === null ? null : JSON.stringify(body)
    const response = await responseOf(
      this.#send({ method, url, body: text, agent: this.#managementAgent }, this.#limit()),
    )
    const chunks: Buffer[] = []
    for await (const chunk of bytesOf(response)) chunks.push(chunk)
    const answered = Buffer.concat(chunks).toString('utf8')
    return answered.trim() === '' ? null : JSON.parse(answered)
  }

  close(): void {
    this.#cancels.close()
    this.#queryAgent.destroy()
    this.#cancelAgent.destroy()
    this.#managementAgent.destroy()
  }

  async #cancel(path: string): Promise<void> {
    const url = `${this.#settings.queryUrl}${path}`
    const sent = { method: 'DELETE', url, body: null, agent: this.#cancelAgent }
    const response = await responseOf(this.#send(sent, this.#limit()))
    response.resume()
  }

  #limit(): AbortSignal {
    return AbortSignal.timeout(this.#settings.managementTimeoutMs)
  }

  #send({ method, url, body, agent }: Sent, signal?: AbortSignal): ClientRequest {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest
    const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
    const headers = { ...this.#headers, ...length }
    const sent = request(url, { method, agent, headers, ...(signal === undefined ? {} : { signal }) })
    sent.end(body ?? undefined)
    return sent
  }
}

async function responseOf(request: ClientRequest): Promise<IncomingMessage> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve)
    // More than one error may follow: of the connection, and of its end.
    request.on('error', (error) => reject(druidUnavailable(error)))
  })
  const status = response.statusCode ?? 0
  const isOk = status >= 200 && status < 300
  if (isOk && !isPage(response)) return response
  const text = await errorBody(response)
  throw isOk ? pageInstead() : readFailure(status, text)
}

/** A proxy in front of Druid may respond with a page of its own and a success status. */
const isPage = ({ headers }: IncomingMessage): boolean => headers['content-type']?.startsWith('text/html') === true

function newAgent(url: string, connections: number, ca: string | null): HttpAgent | HttpsAgent {
  const options = { keepAlive: true, maxSockets: connections }
  if (!url.startsWith('https:')) return new HttpAgent(options)
  return new HttpsAgent({ ...options, ...(ca === null ? {} : { ca }) })
}

function contextOf(query: object): object {
  return 'context' in query && typeof query.context === 'object' ? (query.context ?? {}) : {}
}

/** Throws Problem `unavailable` if the response breaks off, also because the signal is aborted. */
async function* bytesOf(response: IncomingMessage, signal?: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of signal === undefined ? response : addAbortSignal(signal, response)) yield chunk
  } catch (error) {
    throw druidUnavailable(error)
  }
  if (!response.complete) throw brokenOff('the connection was closed')
  const why = response.trailers['x-error-message']
  if (typeof why === 'string') throw endedBy(why)
  if (response.trailers['x-druid-response-complete'] === 'false') throw brokenOff('it is not complete')
}

async function errorBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > errorBytesMax) break
    }
  } catch {
    // The bytes received so far must suffice.
  }
  return Buffer.concat(chunks).toString('utf8')
}
