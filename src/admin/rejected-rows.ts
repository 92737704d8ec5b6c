// Lists of rejected rows: subscribers see their own, operators all.
import type { RejectedBatch, RejectedCatalog, RejectedRow } from '../catalog/rejected.ts'
import { formatInstant } from '../model/instant.ts'
import { precisionOf } from '../model/line-format.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { type Page, type PageRequest, pageLimit } from '../model/page.ts'
import { invalidRequest } from '../model/problem.ts'
import type { RejectCode } from '../model/row-fault.ts'
import { pageOf } from './list-page.ts'
import {
  type BatchAnswer,
  type DiscardAnswer,
  type DiscardRequest,
  type RejectedAnswer,
  type RejectedSummaryAnswer,
  summaryKindsMax,
} from './rejected-schemas.ts'

/** The rows of an ingest to show: those that a subscriber pushed, or all of them (null) for an operator. */
export interface RowsOf {
  readonly ingestId: number
  readonly subscriberId: number | null
}

export interface RejectedRequest extends PageRequest {
  readonly batch?: string | undefined
  readonly code?: RejectCode | undefined
  readonly field?: string | undefined
}

/** The place of a push's rows, as encoded in batch ids. */
interface BatchKey {
  readonly position: number
  readonly rows: number
  readonly ingestId: number
  readonly subscriberId: number
}

export interface RejectedRowsParts {
  readonly rejected: Pick<RejectedCatalog, 'list' | 'discard' | 'summary' | 'batches'>
  readonly batchIds: { encode(key: BatchKey): string; decode(text: string): BatchKey | null }
  /** Current counts of the rows of a batch. */
  readonly outcome: (batch: BatchKey) => Promise<Pick<BatchAnswer, 'stored' | 'rejected' | 'pending'>>
  readonly tokens: NextTokens
  /** A page ends early when the texts of its rows total more bytes than this. */
  readonly pageBytes: number
  /** Called after rows were removed from the list, which may make space for others. */
  readonly discarded: () => Promise<void>
}

/** The size of a page of batches; smaller, because the counts of each batch are read separately. */
export const batchLimits = { items: 100, itemsMax: 1000 }

export class RejectedRows {
  readonly #parts: RejectedRowsParts

  constructor(parts: RejectedRowsParts) {
    this.#parts = parts
  }

  /** In the order in which they were accepted. Throws Problem `invalid_request` for a batch id of another ingest or subscriber, `invalid_token`. */
  async list(of: RowsOf, request: RejectedRequest): Promise<Page<RejectedAnswer>> {
    const { rejected, tokens, pageBytes } = this.#parts
    const limit = pageLimit(request)
    const { batch, code, field, token } = request
    const batchPosition = batch === undefined ? undefined : this.#batchPosition(of, batch)
    const { ingestId, subscriberId } = of
    const filters = [batchPosition ?? null, code ?? null, field ?? null]
    const scope: TokenScope = ['/admin/ingests/rejected', ingestId, subscriberId, ...filters]
    const { rows, after } = await rejected.list(ingestId, {
      ...{ subscriberId: subscriberId ?? undefined, batchPosition, code, field },
      afterPosition: token === undefined ? -1 : Number(tokens.decode(scope, token)),
      limit,
      bytesMax: pageBytes,
    })
    return {
      Items: rows.map((row) => this.#answer(row)),
      NextToken: after === null ? null : tokens.encode(scope, String(after)),
    }
  }

  async summary({ ingestId, subscriberId }: RowsOf): Promise<RejectedSummaryAnswer> {
    const limits = { kindsMax: summaryKindsMax, bytesMax: this.#parts.pageBytes }
    const kinds = await this.#parts.rejected.summary(ingestId, subscriberId, limits)
    return kinds.map(({ code, field, rows, firstMs, lastMs, examplePosition }) => ({
      code,
      field,
      count: rows,
      first: formatInstant(firstMs),
      last: formatInstant(lastMs),
      example: String(examplePosition),
    }))
  }

  /** Batches with rejected rows, now or in the past, newest first. Throws Problem `invalid_token`. */
  async batches({ ingestId, subscriberId }: RowsOf, request: PageRequest): Promise<Page<BatchAnswer>> {
    const { rejected, tokens } = this.#parts
    const page = await pageOf<RejectedBatch>(request, {
      tokens,
      scope: ['/admin/ingests/batches', ingestId, subscriberId],
      keyOf: ({ receivedMs, position }) => `${receivedMs} ${position}`,
      itemsAfter: (after, limit) =>
        rejected.batches(ingestId, subscriberId, { after: after === null ? null : placeIn(after), limit }),
      limits: batchLimits,
    })
    const Items: BatchAnswer[] = []
    for (const batch of page.Items) Items.push(await this.#batchAnswer(ingestId, batch))
    return { ...page, Items }
  }

  /**
   * Removes rows from the list permanently: those with these ids, or all. Ids of rows that are not in the list, or that another subscriber pushed, are ignored,
   * so the call can be repeated. Throws Problem `invalid_request` for an invalid id.
   */
  async discard({ ingestId, subscriberId }: RowsOf, { ids }: DiscardRequest): Promise<DiscardAnswer> {
    const positions = positionsOf(ids)
    const discarded = await this.#parts.rejected.discard(ingestId, positions, subscriberId ?? undefined)
    await this.#parts.discarded()
    return { discarded }
  }

  #batchPosition({ ingestId, subscriberId }: RowsOf, batch: string): number {
    const key = this.#parts.batchIds.decode(batch)
    const isShown = key?.ingestId === ingestId && (subscriberId === null || key.subscriberId === subscriberId)
    if (key !== null && isShown) return key.position
    const whose = subscriberId === null ? '' : ' that you pushed'
    throw invalidRequest(
      'batch',
      `is not a batch id of this ingest${whose}; use the whole \`batch\` of the answer to a push`,
    )
  }

  async #batchAnswer(ingestId: number, batch: RejectedBatch): Promise<BatchAnswer> {
    const { position, rows, subscriberId, receivedMs } = batch
    const key = { position, rows, ingestId, subscriberId }
    const outcome = await this.#parts.outcome(key)
    return { batch: this.#parts.batchIds.encode(key), received: formatInstant(receivedMs), rows, ...outcome }
  }

  #answer(row: RejectedRow): RejectedAnswer {
    const { ingestId, position, batchPosition, batchRows, subscriberId, index, field, code, message, lineFormat } = row
    return {
      id: String(position),
      batch: this.#parts.batchIds.encode({ position: batchPosition, rows: batchRows, ingestId, subscriberId }),
      index,
      row: row.row,
      field,
      code,
      message,
      received: formatInstant(row.receivedMs),
      ...(lineFormat === undefined ? {} : { precision: precisionOf(lineFormat) }),
    }
  }
}

function placeIn(key: string): { readonly receivedMs: number; readonly position: number } {
  const [receivedMs = 0, position = 0] = key.split(' ').map(Number)
  return { receivedMs, position }
}

/** Null means all rows. Throws Problem `invalid_request` for an invalid id. */
export function positionsOf(ids: readonly string[] | null | undefined): readonly number[] | null {
  return ids?.map(positionOf) ?? null
}

function positionOf(id: string, index: number): number {
  const position = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN
  if (Number.isSafeInteger(position)) return position
  throw invalidRequest(`ids[${index}]`, 'is not the id of a rejected row; use an `id` from the list')
}
