import { Type } from 'typebox'
import {
  type IngestCatalog,
  type RejectCode,
  type RejectedCatalog,
  type RejectedRow,
  rejectCodes,
} from '../catalog/catalog.ts'
import type { Ingest } from '../model/ingest.ts'
import { formatInstant } from '../model/instant.ts'
import type { NextTokens, TokenScope } from '../model/next-token.ts'
import { invalidRequest } from '../model/problem.ts'
import { found } from './ingests.ts'
import { type Page, type PageRequest, pageItemsMax, pageLimit, pageSchema } from './page.ts'

const RejectedAnswer = Type.Object(
  {
    id: Type.String({ description: 'The id of the row among the rejected rows of its ingest.' }),
    batch: Type.String({ description: 'The batch that it was pushed in.' }),
    index: Type.Integer({ minimum: 0, description: 'Its place in the batch, from 0.' }),
    row: Type.String({ description: 'The row as it was pushed, character for character.' }),
    field: Type.Union([Type.String(), Type.Null()], {
      description: 'The pushed property at fault; null if the whole row is.',
    }),
    code: Type.Enum([...rejectCodes]),
    message: Type.String(),
    received: Type.String({ format: 'date-time' }),
  },
  { description: 'A row that was not stored, and why.' },
)
export type RejectedAnswer = Type.Static<typeof RejectedAnswer>

export const RejectedPageAnswer = pageSchema(RejectedAnswer)

export const DiscardRequest = Type.Object(
  {
    ids: Type.Optional(
      Type.Union([Type.Array(Type.String(), { maxItems: pageItemsMax }), Type.Null()], {
        description: `The ids of the rows to discard, at most ${pageItemsMax}. Without it, all rows of the ingest.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type DiscardRequest = Type.Static<typeof DiscardRequest>

export const ReplayRequest = Type.Object(
  {
    ids: Type.Optional(
      Type.Union([Type.Array(Type.String(), { maxItems: pageItemsMax }), Type.Null()], {
        description: `The ids of the rows to judge again, at most ${pageItemsMax}. Without it, all rows of the ingest.`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type ReplayRequest = Type.Static<typeof ReplayRequest>

export const ReplayAnswer = Type.Object({
  replayed: Type.Integer({
    minimum: 0,
    description: 'How many rows were judged again, without those that were discarded meanwhile.',
  }),
  stored: Type.Integer({
    minimum: 0,
    description: 'How many of them are stored now, also by an earlier replay that nobody waited for.',
  }),
  rejected: Type.Integer({ minimum: 0, description: 'How many are still rejected, with their new reason.' }),
})
export type ReplayAnswer = Type.Static<typeof ReplayAnswer>

export const DiscardAnswer = Type.Object({
  discarded: Type.Integer({ minimum: 0, description: 'How many rows were taken off the list.' }),
})
type DiscardAnswer = Type.Static<typeof DiscardAnswer>

export interface RejectedRequest extends PageRequest {
  readonly batch?: string | undefined
  readonly code?: RejectCode | undefined
}

/** Where the rows of a push stand, as batch ids say. */
interface BatchKey {
  readonly position: number
  readonly rows: number
  readonly ingestId: number
  readonly subscriberId: number
}

export interface RejectedAdminParts {
  readonly ingests: Pick<IngestCatalog, 'find'>
  readonly rejected: Pick<RejectedCatalog, 'list' | 'discard'>
  readonly batchIds: { encode(key: BatchKey): string; decode(text: string): BatchKey | null }
  /** Has rows judged again: those at these positions, or all; resolves when it is over. */
  readonly replays: {
    replay(ingest: Ingest, positions: readonly number[] | null, signal: AbortSignal): Promise<ReplayAnswer>
  }
  readonly tokens: NextTokens
  /** A page ends early once the texts of its rows are longer than this together. */
  readonly pageBytes: number
  /** Called when rows have left the list: there may be room for others. */
  readonly discarded: () => Promise<void>
}

export class RejectedAdmin {
  readonly #parts: RejectedAdminParts

  constructor(parts: RejectedAdminParts) {
    this.#parts = parts
  }

  /** In the order in which they were accepted. Throws Problem `ingest_not_found`, `invalid_request` for a batch id of another ingest, `invalid_token`. */
  async list(alias: string, request: RejectedRequest): Promise<Page<RejectedAnswer>> {
    const { ingests, rejected, tokens, pageBytes } = this.#parts
    const limit = pageLimit(request)
    const { id } = found(alias, await ingests.find(alias))
    const { batch, code, token } = request
    const batchPosition = batch === undefined ? undefined : this.#batchPosition(id, batch)
    const scope: TokenScope = ['/admin/ingests/rejected', id, batchPosition ?? null, code ?? null]
    const afterPosition = token === undefined ? -1 : Number(tokens.decode(scope, token))
    const page = await rejected.list(id, { batchPosition, code, afterPosition, limit, bytesMax: pageBytes })
    const last = page.rows.at(-1)
    return {
      Items: page.rows.map((row) => this.#answer(row)),
      NextToken: page.more && last !== undefined ? tokens.encode(scope, String(last.position)) : null,
    }
  }

  /**
   * Takes rows out of the list for good: those with these ids, or all. Ids of rows that are not in it count for nothing, so it may be asked
   * again. Throws Problem `ingest_not_found`, `invalid_request` for what is no id.
   */
  async discard(alias: string, { ids }: DiscardRequest): Promise<DiscardAnswer> {
    const { ingests, rejected } = this.#parts
    const { id } = found(alias, await ingests.find(alias))
    const discarded = await rejected.discard(id, ids?.map(positionOf) ?? null)
    await this.#parts.discarded()
    return { discarded }
  }

  /**
   * Judges rows again, by the ingest's fields as they are now: those with these ids, or all. Ids of rows that are not in the list count for
   * nothing, so it may be asked again. Throws Problem `ingest_not_found`, `invalid_request` for what is no id, and those of the journal.
   */
  async replay(alias: string, { ids }: ReplayRequest, signal: AbortSignal): Promise<ReplayAnswer> {
    const { ingests, replays } = this.#parts
    const ingest = found(alias, await ingests.find(alias))
    const answer = await replays.replay(ingest, ids?.map(positionOf) ?? null, signal)
    await this.#parts.discarded()
    return answer
  }

  #batchPosition(ingestId: number, batch: string): number {
    const key = this.#parts.batchIds.decode(batch)
    if (key !== null && key.ingestId === ingestId) return key.position
    throw invalidRequest('batch', 'is no batch id of this ingest; take the `batch` of the answer to a push, whole')
  }

  #answer(row: RejectedRow): RejectedAnswer {
    const { ingestId, position, batchPosition, batchRows, subscriberId, index, field, code, message } = row
    return {
      id: String(position),
      batch: this.#parts.batchIds.encode({ position: batchPosition, rows: batchRows, ingestId, subscriberId }),
      index,
      row: row.row,
      field,
      code,
      message,
      received: formatInstant(row.receivedMs),
    }
  }
}

function positionOf(id: string, index: number): number {
  const position = /^\d{1,16}$/.test(id) ? Number(id) : Number.NaN
  if (Number.isSafeInteger(position)) return position
  throw invalidRequest(`ids[${index}]`, 'is no id of a rejected row; take the `id` of the list')
}
