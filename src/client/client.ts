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
 * The service over HTTP. Every method throws `ServiceError` where the service answers with a problem, and `ConnectionError` where no
 * answer comes. Nothing is tried twice here.
 */
export class TidemarkClient extends OperatorClient {
  readonly url: string
  readonly #http: Transport

  constructor(options: ClientOptions) {
    super(options)
    this.#http = new Transport(options)
    this.url = this.#http.url
  }

  /** Rows for an ingest; once this resolves they are on disk. With an idempotency key they may be sent again: they are stored once. */
  async push(ingest: string, rows: PushedBody, options: PushOptions = {}): Promise<Accepted | Receipt> {
    const { format = 'json', idempotencyKey, wait, signal } = options
    const path = `/ingests/${segment(ingest)}/data${wait === true ? '?wait=true' : ''}`
    const call = { method: 'POST', path, ...pushedBody(rows, format), idempotencyKey, signal } as const
    const answer = await this.#http.json<Accepted | Receipt | null>(call)
    // Who is told that rows are on disk lets go of them: only the service may say so.
    if (typeof answer?.batch !== 'string') throw serviceErrorOf(200, '', null)
    return answer
  }

  /** Lines of line protocol for an ingest, as `push` does rows; the answer is the id of the push, for its receipt. */
  async pushLines(
    ingest: string,
    body: string | Uint8Array,
    { precision = 'ns', idempotencyKey, signal }: PushLinesOptions = {},
  ): Promise<{ readonly batch: string }> {
    const path = `/write${search({ db: ingest, precision })}`
    const call = { method: 'POST', path, body, contentType: lineMediaType, idempotencyKey, signal } as const
    return { batch: await this.#http.header(call, 'tidemark-batch') }
  }

  /** What would become of these rows if they were pushed; nothing is stored. */
  async check(ingest: string, rows: PushedBody, format: PushFormat = 'json'): Promise<CheckAnswer> {
    const path = `/ingests/${segment(ingest)}/check`
    return await this.#http.json({ method: 'POST', path, ...pushedBody(rows, format) })
  }

  /** As `check`, of lines of line protocol. */
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

  /** The tags of an entity that have an item, by code point. */
  tags(entity: string, { prefix, id_name_field, limit, token }: TagsRequest = {}): Promise<Page<string>> {
    const parameters = search({ prefix, id_name_field, limit, NextToken: token })
    return this.#http.json({ method: 'GET', path: `/consumer/data/entities/${segment(entity)}/tags${parameters}` })
  }

  /** The answer's rows, parsed; integers beyond 2^53 lose digits that way, `queryBytes` keeps them. */
  query(kind: QueryKind, request: DataQueryRequest): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#http.json({ method: 'POST', path: `/consumer/data/${kind}`, body: JSON.stringify(request) })
  }

  /** The answer as it comes. Who stops reading early ends the query. */
  queryBytes(kind: QueryKind, request: DataQueryRequest, format: AnswerFormat = 'json'): AsyncGenerator<Uint8Array> {
    return this.#http.bytes(`/consumer/data/${kind}`, request, format)
  }

  /** The rows of a query in Druid's SQL, parsed; integers beyond 2^53 lose digits that way, `sqlBytes` keeps them. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return this.#http.json({ method: 'POST', path: sqlPath, body: JSON.stringify({ sql_query: text }) })
  }

  /** Its answer as it comes. */
  sqlBytes(text: string, format: AnswerFormat = 'json'): AsyncGenerator<Uint8Array> {
    return this.#http.bytes(sqlPath, { sql_query: text }, format)
  }

  /** The answer to a native query of Druid's, as it comes. `query` is its JSON text, whose integers keep all their digits. */
  nativeBytes(queryType: string, query: string): AsyncGenerator<Uint8Array> {
    return this.#http.bytes(nativePath, `{"query_type":${JSON.stringify(queryType)},"query_data":${query}}`)
  }

  /** Saved views that the key may see, by name. */
  views({ limit, token }: PageRequest = {}): Promise<Page<ListedView>> {
    return this.#http.json({ method: 'GET', path: `/consumer/views${search({ limit, NextToken: token })}` })
  }

  view(name: string): Promise<SavedView> {
    return this.#http.json({ method: 'GET', path: `/consumer/views/${segment(name)}` })
  }

  /** Saves a view, or replaces it: where `changed` is given, only the one that was changed then, or with `never` none. */
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
    return this.#http.text({ method: 'GET', path: `/consumer/metadata/${segment(table)}?${query}` })
  }

  /** The items with these identifiers, in this order, as JSON text, whose integers keep all their digits; absent ones are left out. */
  itemsByIdText(table: string, itemsId: readonly string[]): Promise<string> {
    const path = `/consumer/metadata/${segment(table)}`
    return this.#http.text({ method: 'POST', path, body: JSON.stringify({ itemsId }) })
  }

  /** What the key of this client may do. */
  subscription(): Promise<OwnSubscription> {
    return this.#http.json({ method: 'GET', path: '/subscription' })
  }

  /** What this service is, and where its parts are. */
  service(): Promise<ServiceAnswer> {
    return this.#http.json({ method: 'GET', path: '' })
  }

  /** How the service is; throws while it does not take traffic. */
  readiness(): Promise<ReadinessAnswer> {
    return this.#http.json({ method: 'GET', path: '/readyz' })
  }

  /** Its metrics, as Prometheus reads them. */
  metrics(): Promise<string> {
    return this.#http.text({ method: 'GET', path: '/metrics', headers: { accept: '*/*' } })
  }

  /** What an ingest takes, with any key that may push to it, or once might. */
  ownIngest(alias: string, signal?: AbortSignal): Promise<OwnIngestAnswer> {
    return this.#http.json({ method: 'GET', path: `/ingests/${segment(alias)}`, signal })
  }

  rejected(alias: string, request: RejectedSelection = {}, of: WhoseRows = 'all'): Promise<Page<RejectedRowAnswer>> {
    const { batch, code, field, limit, token } = request
    const parameters = search({ batch, code, field, limit, NextToken: token })
    return this.#http.json({ method: 'GET', path: `${ingestPath(alias, of)}/rejected${parameters}` })
  }

  /** Rejected rows counted by code and field, most first. */
  rejectedSummary(alias: string, of: WhoseRows = 'all'): Promise<readonly RejectedKindAnswer[]> {
    return this.#http.json({ method: 'GET', path: `${ingestPath(alias, of)}/rejected/summary` })
  }

  /** Pushes that have, or had, rejected rows, newest first. */
  batches(alias: string, { limit, token }: PageRequest = {}, of: WhoseRows = 'all'): Promise<Page<BatchAnswer>> {
    const parameters = search({ limit, NextToken: token })
    return this.#http.json({ method: 'GET', path: `${ingestPath(alias, of)}/batches${parameters}` })
  }

  /** Takes rejected rows out of the list for good: those with these ids, or all. Resolves with how many these were. */
  async discardRejected(alias: string, ids: readonly string[] | null, of: WhoseRows = 'all'): Promise<number> {
    const path = `${ingestPath(alias, of)}/rejected`
    const body = JSON.stringify(ids === null ? {} : { ids })
    return (await this.#http.json<{ readonly discarded: number }>({ method: 'DELETE', path, body })).discarded
  }
}
