import type { AnswerFormat } from '../model/answer-format.ts'
import { type LinePrecision, lineMediaType } from '../model/line-format.ts'
import type { QueryKind } from '../model/query-kind.ts'
import type {
  Accepted,
  BatchAnswer,
  CheckAnswer,
  EntityDescription,
  ListedView,
  MetadataDescription,
  MetadataItem,
  OwnIngestAnswer,
  OwnSubscription,
  Page,
  PageRequest,
  ReadinessAnswer,
  Receipt,
  RejectedKindAnswer,
  RejectedRowAnswer,
  SavedView,
  ServiceAnswer,
  ViewDefinition,
} from './answers.ts'
import { OperatorClient } from './operator-client.ts'
import type { DataQueryRequest, PushLinesOptions, PushOptions, TagsRequest } from './request-options.ts'
import { ingestPath, type RejectedSelection, search, segment, type WhoseRows } from './request-paths.ts'
import { type PushedBody, pushedBody } from './row-text.ts'
import { serviceErrorOf } from './service-error.ts'
import { type ClientOptions, type PushFormat, Transport } from './transport.ts'

const sqlPath = '/consumer/data/sql-query'
const nativePath = '/consumer/data/druid-native-query'

/**
 * The service over HTTP. Every method throws `ServiceError` if the service responds with a problem, and `ConnectionError` if there is no response.
 * Does not retry.
 */
export class TidemarkClient extends OperatorClient {
  readonly url: string
  readonly #http: Transport

  constructor(options: ClientOptions) {
    super(options)
    this.#http = new Transport(options)
    this.url = this.#http.url
  }

  /** Pushes rows to an ingest; when this resolves they are on disk. With an idempotency key they may be sent again, and are stored once. */
  async push(ingest: string, rows: PushedBody, options: PushOptions = {}): Promise<Accepted | Receipt> {
    const { format = 'json', idempotencyKey, wait, signal } = options
    const path = `/ingests/${segment(ingest)}/data${wait === true ? '?wait=true' : ''}`
    const call = { method: 'POST', path, ...pushedBody(rows, format), idempotencyKey, signal } as const
    const answer = await this.#http.json<Accepted | Receipt | null>(call)
    // The caller discards rows that are acknowledged, so only a response of the service itself may count.
    if (typeof answer?.batch !== 'string') throw serviceErrorOf(200, '', null)
    return answer
  }

  /** Pushes lines of line protocol to an ingest. Resolves with the id of the push, for its receipt. */
  async pushLines(
    ingest: string,
    body: string | Uint8Array,
    { precision = 'ns', idempotencyKey, signal }: PushLinesOptions = {},
  ): Promise<{ readonly batch: string }> {
    const path = `/write${search({ db: ingest, precision })}`
    const call = { method: 'POST', path, body, contentType: lineMediaType, idempotencyKey, signal } as const
    return { batch: await this.#http.header(call, 'tidemark-batch') }
  }

  /** Validates rows as a push would, without storing them. */
  async check(ingest: string, rows: PushedBody, format: PushFormat = 'json'): Promise<CheckAnswer> {
    const path = `/ingests/${segment(ingest)}/check`
    return await this.#http.json({ method: 'POST', path, ...pushedBody(rows, format) })
  }

  /** As `check`, for lines of line protocol. */
  checkLines(ingest: string, body: string | Uint8Array, precision: LinePrecision = 'ns'): Promise<CheckAnswer> {
    const path = `/ingests/${segment(ingest)}/check${search({ precision })}`
    return this.#http.json({ method: 'POST', path, body, contentType: lineMediaType })
  }

  receipt(ingest: string, batch: string): Promise<Receipt> {
    return this.#http.json({ method: 'GET', path: `/ingests/${segment(ingest)}/batches/${segment(batch)}` })
  }

  entities(): Promise<readonly EntityDescription[]> {
    return this.#http.json({ method: 'GET', path: '/consumer/data/entities' })
  }

  /** The tags of an entity that have an item, ordered by code point. */
  tags(entity: string, { prefix, id_name_field, limit, token }: TagsRequest = {}): Promise<Page<string>> {
    const parameters = search({ prefix, id_name_field, limit, NextToken: token })
    return this.#http.json({ method: 'GET', path: `/consumer/data/entities/${segment(entity)}/tags${parameters}` })
  }

  /** The rows of the response, parsed. Integers beyond 2^53 lose digits; `queryBytes` keeps them. */
  query(kind: QueryKind, request: DataQueryRequest): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#http.json({ method: 'POST', path: `/consumer/data/${kind}`, body: JSON.stringify(request) })
  }

  /** The response as it arrives. Ending the iteration early cancels the query. */
  queryBytes(kind: QueryKind, request: DataQueryRequest, format: AnswerFormat = 'json'): AsyncGenerator<Uint8Array> {
    return this.#http.bytes(`/consumer/data/${kind}`, request, format)
  }

  /** The rows of a query in Druid's SQL, parsed. Integers beyond 2^53 lose digits; `sqlBytes` keeps them. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#http.json({ method: 'POST', path: sqlPath, body: JSON.stringify({ sql_query: text }) })
  }

  /** The response to a query in Druid's SQL, as it arrives. */
  sqlBytes(text: string, format: AnswerFormat = 'json'): AsyncGenerator<Uint8Array> {
    return this.#http.bytes(sqlPath, { sql_query: text }, format)
  }

  /** The response to a native query of Druid, as it arrives. `query` is JSON text, so its integers keep all their digits. */
  nativeBytes(queryType: string, query: string): AsyncGenerator<Uint8Array> {
    return this.#http.bytes(nativePath, `{"query_type":${JSON.stringify(queryType)},"query_data":${query}}`)
  }

  /** Saved views that are visible to the key, by name. */
  views({ limit, token }: PageRequest = {}): Promise<Page<ListedView>> {
    return this.#http.json({ method: 'GET', path: `/consumer/views${search({ limit, NextToken: token })}` })
  }

  view(name: string): Promise<SavedView> {
    return this.#http.json({ method: 'GET', path: `/consumer/views/${segment(name)}` })
  }

  /** Creates or replaces a view. With `changed`, replaces it only if it was last changed at that time, or, with `never`, only creates it. */
  putView(name: string, view: ViewDefinition, changed?: string): Promise<SavedView> {
    const path = `/consumer/views/${segment(name)}${search({ changed })}`
    return this.#http.json({ method: 'PUT', path, body: JSON.stringify(view) })
  }

  async deleteView(name: string): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/consumer/views/${segment(name)}` })
  }

  /** All tables of metadata that the key may read. */
  metadata(): Promise<readonly MetadataDescription[]> {
    return this.#http.json({ method: 'POST', path: '/consumer/metadata', body: '{}' })
  }

  /** Items by identifier. A condition is a query parameter of the service: `['id[bw]', 'boiler.']`. */
  async items(...query: Parameters<TidemarkClient['itemsText']>): Promise<Page<MetadataItem>> {
    return JSON.parse(await this.itemsText(...query))
  }

  /** As `items`, as the JSON text of the response: integers beyond 2^53 keep all their digits. */
  itemsText(
    table: string,
    conditions: readonly (readonly [name: string, value: string])[],
    { limit, token }: PageRequest = {},
  ): Promise<string> {
    const query = new URLSearchParams()
    for (const [name, value] of conditions) query.append(name, value)
    if (limit !== undefined) query.set('limit', String(limit))
    if (token !== undefined) query.set('NextToken', token)
    return this.#http.text({ method: 'GET', path: `/consumer/metadata/${segment(table)}?${query}` })
  }

  /** The items with these identifiers, in this order, as JSON text, whose integers keep all their digits. Missing items are omitted. */
  itemsByIdText(table: string, itemsId: readonly string[]): Promise<string> {
    const path = `/consumer/metadata/${segment(table)}`
    return this.#http.text({ method: 'POST', path, body: JSON.stringify({ itemsId }) })
  }

  /** The rights and subscriptions of this client's key. */
  subscription(): Promise<OwnSubscription> {
    return this.#http.json({ method: 'GET', path: '/subscription' })
  }

  /** Describes the service and the addresses of its parts. */
  service(): Promise<ServiceAnswer> {
    return this.#http.json({ method: 'GET', path: '' })
  }

  /** The state of the service; throws while it does not accept traffic. */
  readiness(): Promise<ReadinessAnswer> {
    return this.#http.json({ method: 'GET', path: '/readyz' })
  }

  /** The service's metrics in Prometheus' text format. */
  metrics(): Promise<string> {
    return this.#http.text({ method: 'GET', path: '/metrics', headers: { accept: '*/*' } })
  }

  /** The rows that an ingest accepts. Works with any key that may push to it, or once could. */
  ownIngest(alias: string, signal?: AbortSignal): Promise<OwnIngestAnswer> {
    return this.#http.json({ method: 'GET', path: `/ingests/${segment(alias)}`, signal })
  }

  rejected(alias: string, request: RejectedSelection = {}, of: WhoseRows = 'all'): Promise<Page<RejectedRowAnswer>> {
    const { batch, code, field, limit, token } = request
    const parameters = search({ batch, code, field, limit, NextToken: token })
    return this.#http.json({ method: 'GET', path: `${ingestPath(alias, of)}/rejected${parameters}` })
  }

  /** Rejected rows counted by code and field, largest count first. */
  rejectedSummary(alias: string, of: WhoseRows = 'all'): Promise<readonly RejectedKindAnswer[]> {
    return this.#http.json({ method: 'GET', path: `${ingestPath(alias, of)}/rejected/summary` })
  }

  /** Pushes that have, or had, rejected rows, newest first. */
  batches(alias: string, { limit, token }: PageRequest = {}, of: WhoseRows = 'all'): Promise<Page<BatchAnswer>> {
    const parameters = search({ limit, NextToken: token })
    return this.#http.json({ method: 'GET', path: `${ingestPath(alias, of)}/batches${parameters}` })
  }

  /** Removes rejected rows for good: those with these ids, or all for null. Resolves with their number. */
  async discardRejected(alias: string, ids: readonly string[] | null, of: WhoseRows = 'all'): Promise<number> {
    const path = `${ingestPath(alias, of)}/rejected`
    const body = JSON.stringify(ids === null ? {} : { ids })
    return (await this.#http.json<{ readonly discarded: number }>({ method: 'DELETE', path, body })).discarded
  }
}
