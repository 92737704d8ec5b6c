import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { systemTimer, type Timer } from '../lib/timer.ts'
import { brokenOff, DruidFailure, druidAway, endedBy, pageInstead, readFailure } from './druid-failure.ts'
import { QueryCancels } from './query-cancels.ts'

export interface DruidClientSettings {
  /** Where queries go: the router or a broker. No slash at the end. */
  readonly queryUrl: string
  /** Where supervisors and the coordinator's rules are: the router or the overlord. */
  readonly managementUrl: string
  /** Basic authentication; null for none. */
  readonly credentials: { readonly user: string; readonly password: string } | null
  /** PEM of the authorities to trust; null for those of the system. */
  readonly ca: string | null
  /** The most connections for queries at once. */
  readonly connections: number
  /** How long one management request may take. */
  readonly managementTimeoutMs: number
}

/** What ends in `query` and what in `sql` differ by their paths alone. */
export type QueryLanguage = 'native' | 'sql'

export interface QueryOptions {
  readonly signal: AbortSignal
  /** After it Druid ends the query by itself. */
  readonly timeoutMs: number
}

export interface Clock {
  /** From any beginning, and never back. */
  readonly nowMs: () => number
  readonly timer: Timer
}

interface Sent {
  readonly method: string
  readonly url: string
  readonly body: string | null
  readonly agent: HttpAgent | HttpsAgent
  readonly signal: AbortSignal
  /** It has a connection, and is on its way. */
  readonly onWay?: () => void
}

const queryPaths: Readonly<Record<QueryLanguage, string>> = { native: '/druid/v2', sql: '/druid/v2/sql' }
/** More of an error's body is not read. */
const errorBytesMax = 65_536
/** Enough for supervisors and rules; and cancelling must not wait until a query's connection is free, so it has as many. */
const managementConnections = 8
const systemClock: Clock = { nowMs: () => performance.now(), timer: systemTimer }

/** HTTP to Druid: connections are kept and bounded; a query whose signal is aborted is cancelled in Druid too. */
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
   * The bytes of a query's answer, as they come. Throws `DruidFailure` when Druid refuses or fails, Problem `unavailable` when it is
   * away or breaks its answer off, and the signal's reason when it is aborted.
   */
  async *query(language: QueryLanguage, query: object, { signal, timeoutMs }: QueryOptions): AsyncGenerator<Buffer> {
    signal.throwIfAborted()
    const id = randomUUID()
    // A query of SQL's has two names: that of the statement, and that of what it was planned into.
    const names = language === 'sql' ? { sqlQueryId: id, queryId: id } : { queryId: id }
    const body = JSON.stringify({ ...query, context: { ...contextOf(query), timeout: timeoutMs, ...names } })
    let sentMs: number | null = null
    let isAnswered = false
    let isWhole = false
    try {
      const response = await this.#send({
        method: 'POST',
        url: `${this.#settings.queryUrl}${queryPaths[language]}`,
        body,
        agent: this.#queryAgent,
        signal,
        onWay: () => {
          sentMs = this.#nowMs()
        },
      })
      isAnswered = true
      yield* bytesOf(response)
      isWhole = true
    } catch (error) {
      isAnswered ||= error instanceof DruidFailure
      signal.throwIfAborted()
      throw error
    } finally {
      // One that still waited for a connection was never sent.
      if (!isWhole && sentMs !== null) {
        const paths = Object.values(language === 'sql' ? queryPaths : [queryPaths.native]).map(
          (path) => `${path}/${id}`,
        )
        this.#cancels.cancel({ paths, ageMs: this.#nowMs() - sentMs, isAnswered, timeoutMs })
      }
    }
  }

  /** One request to the overlord or the coordinator; answers its JSON, null for an empty body. Throws as `query` does. */
  async manage(method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown = null): Promise<unknown> {
    const url = `${this.#settings.managementUrl}${path}`
    const text = body === null ? null : JSON.stringify(body)
    const signal = AbortSignal.timeout(this.#settings.managementTimeoutMs)
    const response = await this.#send({ method, url, body: text, agent: this.#managementAgent, signal })
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
    const signal = AbortSignal.timeout(this.#settings.managementTimeoutMs)
    const response = await this.#send({ method: 'DELETE', url, body: null, agent: this.#cancelAgent, signal })
    response.resume()
  }

  async #send({ method, url, body, agent, signal, onWay }: Sent): Promise<IncomingMessage> {
    const request = url.startsWith('https:') ? httpsRequest : httpRequest
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === null ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }
      const headers = { ...this.#headers, ...length }
      const sent = request(url, { method, agent, headers, signal })
      if (onWay !== undefined) sent.once('socket', onWay)
      sent.once('response', resolve)
      sent.once('error', (error) => reject(druidAway(error)))
      sent.end(body ?? undefined)
    })
    const status = response.statusCode ?? 0
    const isWell = status >= 200 && status < 300
    if (isWell && !isPage(response)) return response
    const text = await errorBody(response)
    throw isWell ? pageInstead() : readFailure(status, text)
  }
}

/** What stands between here and Druid may say with a page of its own that all is well. */
const isPage = ({ headers }: IncomingMessage): boolean => headers['content-type']?.startsWith('text/html') === true

function newAgent(url: string, connections: number, ca: string | null): HttpAgent | HttpsAgent {
  const options = { keepAlive: true, maxSockets: connections }
  if (!url.startsWith('https:')) return new HttpAgent(options)
  return new HttpsAgent({ ...options, ...(ca === null ? {} : { ca }) })
}

function contextOf(query: object): object {
  return 'context' in query && typeof query.context === 'object' ? (query.context ?? {}) : {}
}

async function* bytesOf(response: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk
  } catch (error) {
    throw druidAway(error)
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
    // What came of it has to do.
  }
  return Buffer.concat(chunks).toString('utf8')
}
