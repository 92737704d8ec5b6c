import type {
  Accepted,
  CreatedKey,
  EntityAnswer,
  EntityDescription,
  IngestAnswer,
  IngestChange,
  MadeBackup,
  MetadataDescription,
  MetadataItem,
  NewIngest,
  NewKey,
  OwnSubscription,
  Page,
  PageRequest,
  Receipt,
  RejectedRowAnswer,
  ReplayAnswer,
  SubscriberAnswer,
  SubscriptionEntry,
} from './answers.ts'
import type { QueryKind, QueryRequest } from './requests.ts'
import { connectionErrorOf, serviceErrorOf } from './service-error.ts'

export type PushFormat = 'json' | 'ndjson'

export interface ClientOptions {
  /** Where the service is, with its base path if it has one: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly key?: string | undefined
  readonly fetch?: typeof fetch
}

export interface PushOptions {
  readonly format: PushFormat
  readonly idempotencyKey?: string
}

export interface RejectedRequest extends PageRequest {
  readonly batch?: string
  readonly code?: string
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string | Uint8Array
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

const mediaTypes: Record<PushFormat, string> = { json: 'application/json', ndjson: 'application/x-ndjson' }

function search(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value))
  return query.size === 0 ? '' : `?${query}`
}

const segment = encodeURIComponent
const sqlPath = '/consumer/data/sql-query'
const nativePath = '/consumer/data/druid-native-query'

/**
 * The service over HTTP. Every method throws `ServiceError` where the service answers with a problem, and `ConnectionError` where no
 * answer comes. Nothing is tried twice here.
 */
export class TidemarkClient {
  readonly url: string
  readonly #key: string | undefined
  readonly #fetch: typeof fetch

  constructor(options: ClientOptions) {
    this.url = options.url.replace(/\/+$/, '')
    this.#key = options.key
    this.#fetch = options.fetch ?? fetch
  }

  /** Rows for an ingest; once this resolves they are on disk. With an idempotency key they may be sent again: they are stored once. */
  push(ingest: string, body: string | Uint8Array, { format, idempotencyKey }: PushOptions): Promise<Accepted> {
    const path = `/ingests/${segment(ingest)}/data`
    const headers: Record<string, string> = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    return this.#json({ method: 'POST', path, body, contentType: mediaTypes[format], headers })
  }

  receipt(ingest: string, batch: string): Promise<Receipt> {
    return this.#json({ method: 'GET', path: `/ingests/${segment(ingest)}/batches/${segment(batch)}` })
  }

  entities(): Promise<readonly EntityDescription[]> {
    return this.#json({ method: 'GET', path: '/consumer/data/entities' })
  }

  /** The answer's rows, parsed; integers beyond 2^53 lose digits that way, `queryBytes` keeps them. */
  query(kind: QueryKind, request: QueryRequest): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#json({ method: 'POST', path: `/consumer/data/${kind}`, body: JSON.stringify(request) })
  }

  /** The answer as it comes. Who stops reading early ends the query. */
  queryBytes(kind: QueryKind, request: QueryRequest, format: PushFormat = 'json'): AsyncGenerator<Uint8Array> {
    return this.#bytes(`/consumer/data/${kind}`, request, format)
  }

  /** The rows of a query in Druid's SQL, parsed; integers beyond 2^53 lose digits that way, `sqlBytes` keeps them. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#json({ method: 'POST', path: sqlPath, body: JSON.stringify({ sql_query: text }) })
  }

  /** Its JSON answer as it comes. */
  sqlBytes(text: string): AsyncGenerator<Uint8Array> {
    return this.#bytes(sqlPath, { sql_query: text })
  }

  /** The answer to a native query of Druid's, as it comes. `query` is its JSON text, whose integers keep all their digits. */
  nativeBytes(queryType: string, query: string): AsyncGenerator<Uint8Array> {
    return this.#bytes(nativePath, `{"query_type":${JSON.stringify(queryType)},"query_data":${query}}`)
  }

  async *#bytes(path: string, body: object | string, format: PushFormat = 'json'): AsyncGenerator<Uint8Array> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { accept: mediaTypes[format] }
    const response = await this.#call({ method: 'POST', path, body: text, headers })
    if (response.body === null) return
    try {
      for await (const chunk of response.body) yield chunk
    } catch (error) {
      throw connectionErrorOf(this.url, error)
    }
  }

  /** All tables of metadata that the key may read. */
  metadata(): Promise<readonly MetadataDescription[]> {
    return this.#json({ method: 'POST', path: '/consumer/metadata', body: '{}' })
  }

  /** Items by identifier. A condition is a query parameter of the service: `['id[bw]', 'boiler.']`. */
  async items(
    table: string,
    conditions: readonly (readonly [name: string, value: string])[],
    page: PageRequest = {},
  ): Promise<Page<MetadataItem>> {
    return JSON.parse(await this.itemsText(table, conditions, page))
  }

  /** As `items`, as the JSON text it comes in: integers beyond 2^53 keep all their digits. */
  itemsText(
    table: string,
    conditions: readonly (readonly [name: string, value: string])[],
    { limit, token }: PageRequest = {},
  ): Promise<string> {
    const query = new URLSearchParams()
    for (const [name, value] of conditions) query.append(name, value)
    if (limit !== undefined) query.set('limit', String(limit))
    if (token !== undefined) query.set('NextToken', token)
    return this.#text({ method: 'GET', path: `/consumer/metadata/${segment(table)}?${query}` })
  }

  /** The items with these identifiers, in this order; absent ones are left out. */
  itemsById(table: string, itemsId: readonly string[]): Promise<readonly MetadataItem[]> {
    const path = `/consumer/metadata/${segment(table)}`
    return this.#json({ method: 'POST', path, body: JSON.stringify({ itemsId }) })
  }

  async deleteItem(table: string, id: string): Promise<void> {
    await this.#text({ method: 'DELETE', path: `/admin/metadata/${segment(table)}/items/${segment(id)}` })
  }

  adminEntities({ limit, token }: PageRequest = {}): Promise<Page<EntityAnswer>> {
    return this.#json({ method: 'GET', path: `/admin/entities${search({ limit, NextToken: token })}` })
  }

  /** How long an entity keeps its items: an ISO 8601 duration, or null for ever. */
  retain(entity: string, retention: string | null): Promise<EntityAnswer> {
    const path = `/admin/entities/${segment(entity)}`
    return this.#json({ method: 'PATCH', path, body: JSON.stringify({ retention }) })
  }

  /** What the key of this client may do. */
  subscription(): Promise<OwnSubscription> {
    return this.#json({ method: 'GET', path: '/subscription' })
  }

  /** Resolves once the service takes traffic; throws while it does not. */
  async ready(): Promise<void> {
    await this.#text({ method: 'GET', path: '/readyz' })
  }

  createIngest(ingest: NewIngest): Promise<IngestAnswer> {
    return this.#json({ method: 'POST', path: '/admin/ingests', body: JSON.stringify(ingest) })
  }

  ingests({ limit, token }: PageRequest = {}): Promise<Page<IngestAnswer>> {
    return this.#json({ method: 'GET', path: `/admin/ingests${search({ limit, NextToken: token })}` })
  }

  ingest(alias: string): Promise<IngestAnswer> {
    return this.#json({ method: 'GET', path: `/admin/ingests/${segment(alias)}` })
  }

  changeIngest(alias: string, change: IngestChange): Promise<IngestAnswer> {
    return this.#json({ method: 'PATCH', path: `/admin/ingests/${segment(alias)}`, body: JSON.stringify(change) })
  }

  rejected(alias: string, { batch, code, limit, token }: RejectedRequest = {}): Promise<Page<RejectedRowAnswer>> {
    const parameters = search({ batch, code, limit, NextToken: token })
    return this.#json({ method: 'GET', path: `/admin/ingests/${segment(alias)}/rejected${parameters}` })
  }

  /** Takes rejected rows out of the list for good: those with these ids, or all. Resolves with how many these were. */
  async discardRejected(alias: string, ids: readonly string[] | null): Promise<number> {
    const path = `/admin/ingests/${segment(alias)}/rejected`
    const body = JSON.stringify(ids === null ? {} : { ids })
    return (await this.#json<{ readonly discarded: number }>({ method: 'DELETE', path, body })).discarded
  }

  /** Judges rejected rows again: those with these ids, all of the ingest when it is null. */
  replayRejected(alias: string, ids: readonly string[] | null): Promise<ReplayAnswer> {
    const path = `/admin/ingests/${segment(alias)}/rejected/replay`
    return this.#json({ method: 'POST', path, body: JSON.stringify(ids === null ? {} : { ids }) })
  }

  /** With `drop`, its entity goes with all that it holds. */
  async deleteIngest(alias: string, data: 'keep' | 'drop'): Promise<void> {
    await this.#text({ method: 'DELETE', path: `/admin/ingests/${segment(alias)}${search({ data })}` })
  }

  createSubscriber(name: string): Promise<SubscriberAnswer> {
    return this.#json({ method: 'POST', path: '/admin/subscribers', body: JSON.stringify({ name }) })
  }

  subscribers({ limit, token }: PageRequest = {}): Promise<Page<SubscriberAnswer>> {
    return this.#json({ method: 'GET', path: `/admin/subscribers${search({ limit, NextToken: token })}` })
  }

  async deleteSubscriber(name: string): Promise<void> {
    await this.#text({ method: 'DELETE', path: `/admin/subscribers/${segment(name)}` })
  }

  createKey(subscriber: string, key: NewKey): Promise<CreatedKey> {
    const path = `/admin/subscribers/${segment(subscriber)}/keys`
    return this.#json({ method: 'POST', path, body: JSON.stringify(key) })
  }

  async deleteKey(id: string): Promise<void> {
    await this.#text({ method: 'DELETE', path: `/admin/keys/${segment(id)}` })
  }

  /** All of them are on one page. */
  subscriptions(subscriber: string): Promise<Page<SubscriptionEntry>> {
    return this.#json({ method: 'GET', path: `/admin/subscribers/${segment(subscriber)}/subscriptions` })
  }

  /** Replaces all of the subscriber's subscriptions. */
  async putSubscriptions(subscriber: string, subscriptions: readonly SubscriptionEntry[]): Promise<void> {
    const path = `/admin/subscribers/${segment(subscriber)}/subscriptions`
    await this.#text({ method: 'PUT', path, body: JSON.stringify(subscriptions) })
  }

  /** Resolves when the backup is complete. */
  makeBackup(): Promise<MadeBackup> {
    return this.#json({ method: 'POST', path: '/admin/backups' })
  }

  async #json<Answer>(call: Call): Promise<Answer> {
    return JSON.parse(await this.#text(call))
  }

  async #text(call: Call): Promise<string> {
    const response = await this.#call(call)
    try {
      return await response.text()
    } catch (error) {
      throw connectionErrorOf(this.url, error)
    }
  }

  async #call({ method, path, body, contentType, headers: more }: Call): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...more }
    if (body !== undefined) headers['content-type'] = contentType ?? 'application/json'
    if (this.#key !== undefined) headers['authorization'] = `Bearer ${this.#key}`
    let response: Response
    try {
      const init = { method, headers, redirect: 'error' as const, ...(body === undefined ? {} : { body }) }
      response = await this.#fetch(this.url + path, init)
      if (response.ok) return response
    } catch (error) {
      throw connectionErrorOf(this.url, error)
    }
    const text = await response.text().catch(() => '')
    throw serviceErrorOf(response.status, text, response.headers.get('retry-after'))
  }
}
