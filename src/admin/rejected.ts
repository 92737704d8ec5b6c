import type { IngestCatalog } from '../catalog/catalog.ts'
import type { Ingest } from '../model/ingest.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { found } from './ingests.ts'
import { positionsOf, type RejectedRequest, type RejectedRows, type RowsOf } from './rejected-rows.ts'
import type {
  BatchAnswer,
  DiscardAnswer,
  DiscardRequest,
  RejectedAnswer,
  RejectedSummaryAnswer,
  ReplayAnswer,
  ReplayRequest,
} from './rejected-schemas.ts'

export interface RejectedAdminParts {
  readonly ingests: Pick<IngestCatalog, 'find'>
  readonly rows: RejectedRows
  /** Has rows judged again: those at these positions, or all; resolves when it is over. */
  readonly replays: {
    replay(ingest: Ingest, positions: readonly number[] | null, signal: AbortSignal): Promise<ReplayAnswer>
  }
  /** Called when rows have left the list: there may be room for others. */
  readonly discarded: () => Promise<void>
}

/** The rejected rows of an ingest, whoever pushed them. All throw Problem `ingest_not_found`, and those of `RejectedRows`. */
export class RejectedAdmin {
  readonly #parts: RejectedAdminParts

  constructor(parts: RejectedAdminParts) {
    this.#parts = parts
  }

  async list(alias: string, request: RejectedRequest): Promise<Page<RejectedAnswer>> {
    return this.#parts.rows.list(await this.#all(alias), request)
  }

  async summary(alias: string): Promise<RejectedSummaryAnswer> {
    return this.#parts.rows.summary(await this.#all(alias))
  }

  async batches(alias: string, request: PageRequest): Promise<Page<BatchAnswer>> {
    return this.#parts.rows.batches(await this.#all(alias), request)
  }

  async discard(alias: string, request: DiscardRequest): Promise<DiscardAnswer> {
    return this.#parts.rows.discard(await this.#all(alias), request)
  }

  /**
   * Judges rows again, by the ingest's fields as they are now: those with these ids, or all. Ids of rows that are not in the list count for
   * nothing, so it may be asked again. Throws Problem `invalid_request` for what is no id, and those of the journal.
   */
  async replay(alias: string, { ids }: ReplayRequest, signal: AbortSignal): Promise<ReplayAnswer> {
    const { ingests, replays } = this.#parts
    const ingest = found(alias, await ingests.find(alias))
    const answer = await replays.replay(ingest, positionsOf(ids), signal)
    await this.#parts.discarded()
    return answer
  }

  async #all(alias: string): Promise<RowsOf> {
    const { id } = found(alias, await this.#parts.ingests.find(alias))
    return { ingestId: id, subscriberId: null }
  }
}
