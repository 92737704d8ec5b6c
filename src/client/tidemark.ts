// The entry point of `tidemark/client`: for Node.js and browsers, without dependencies.
import type { QueryKind } from '../model/query-kind.ts'
import { TidemarkClient } from './client.ts'
import { allBytes, lineValues } from './line-values.ts'
import { type LiveEvent, liveEvents } from './live-events.ts'
import type { DataQueryRequest, LiveOptions, LiveRequest } from './request-options.ts'
import { Transport } from './transport.ts'
import { IngestWriter } from './writer.ts'
import type { IngestWriterOptions } from './writer-options.ts'

export type { ProblemCode } from '../model/problem.ts'
export type * from './answers.ts'
export type { WriterClock } from './clock.ts'
export type { LiveDeletion, LiveEvent } from './live-events.ts'
export type {
  DataQueryRequest,
  LiveOptions,
  LiveRequest,
  PushLinesOptions,
  PushOptions,
  TagsRequest,
} from './request-options.ts'
export type { RejectedSelection, WhoseRows } from './request-paths.ts'
export type { PushedBody } from './row-text.ts'
export { ConnectionError, type ErrorCode, ServiceError } from './service-error.ts'
export type { ClientOptions, PushFormat } from './transport.ts'
export type { WrittenRows } from './writer.ts'
export type {
  AcknowledgedBatch,
  BatchOutcome,
  IngestWriterOptions,
  UnacknowledgedBatch,
} from './writer-options.ts'
export type { IngestWriter, QueryKind }

/** A row of a response, keyed by column name. */
export type AnsweredRow = Readonly<Record<string, unknown>>

/**
 * The client for programs: every endpoint, a writer that batches rows and retries, and responses row by row. Methods throw `ServiceError` if the service
 * responds with a problem, and `ConnectionError` if there is no response.
 */
export class Tidemark extends TidemarkClient {
  readonly #http: Transport

  constructor(options: ConstructorParameters<typeof TidemarkClient>[0]) {
    super(options)
    this.#http = new Transport(options)
  }

  /** Writes rows to an ingest in batches, each with retries until it is acknowledged. */
  writer(ingest: string, options: IngestWriterOptions = {}): IngestWriter {
    return new IngestWriter((body, request) => this.push(ingest, body, request), options)
  }

  /** The rows of a data query, as they arrive. Ending the iteration early cancels the query. */
  rows<Row = AnsweredRow>(kind: QueryKind, request: DataQueryRequest): AsyncGenerator<Row> {
    return lineValues(this.queryBytes(kind, request, 'ndjson'))
  }

  /** The items of an entity as they become queryable, until the signal ends the stream. After a cut it reconnects automatically, and misses nothing. */
  live<Row = AnsweredRow>(request: LiveRequest, options: LiveOptions = {}): AsyncGenerator<LiveEvent<Row>> {
    return liveEvents(this.#http, request, options)
  }

  /** The items of a time range, as they arrive. */
  select<Row = AnsweredRow>(request: DataQueryRequest): AsyncGenerator<Row> {
    return this.rows('select', request)
  }

  /** The rows of a query in Druid's SQL, as they arrive. */
  sqlRows<Row = AnsweredRow>(text: string): AsyncGenerator<Row> {
    return lineValues(this.sqlBytes(text, 'ndjson'))
  }

  /** The response to a data query as an Arrow IPC stream. */
  arrow(kind: QueryKind, request: DataQueryRequest): Promise<Uint8Array> {
    return allBytes(this.queryBytes(kind, request, 'arrow'))
  }

  /** The response to a query in Druid's SQL as an Arrow IPC stream. */
  sqlArrow(text: string): Promise<Uint8Array> {
    return allBytes(this.sqlBytes(text, 'arrow'))
  }

  /** The response to a native query of Druid, parsed. */
  async native<Answer = unknown>(query: { readonly queryType: string }): Promise<Answer> {
    const bytes = await allBytes(this.nativeBytes(query.queryType, JSON.stringify(query)))
    return JSON.parse(new TextDecoder().decode(bytes))
  }

  /** The items with these identifiers, in this order. Missing items are omitted. */
  async itemsById(table: string, itemsId: readonly string[]): Promise<readonly AnsweredRow[]> {
    return JSON.parse(await this.itemsByIdText(table, itemsId))
  }

  /** Resolves if the service is alive; throws otherwise. */
  async health(): Promise<void> {
    await this.#http.text({ method: 'GET', path: '/healthz', headers: { accept: '*/*' } })
  }
}
