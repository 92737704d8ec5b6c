import type { IngestCatalog } from '../catalog/catalog.ts'
import { didYouMean } from '../lib/likely-word.ts'
import type { Ingest } from '../model/ingest.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { invalidRequest } from '../model/problem.ts'
import type { Repair, RowMapping } from '../model/row-mapping.ts'
import { foundIngest, namesOf } from './ingests.ts'
import { positionsOf, type RejectedRequest, type RejectedRows, type RowsOf } from './rejected-rows.ts'
import type {
  BatchAnswer,
  DiscardAnswer,
  DiscardRequest,
  RejectedAnswer,
  RejectedSummaryAnswer,
} from './rejected-schemas.ts'
import type { PreviewAnswer, ReplayAnswer, ReplayRequest } from './replay-schemas.ts'

export interface RejectedAdminParts {
  readonly ingests: Pick<IngestCatalog, 'find' | 'list'>
  readonly rows: RejectedRows
  /** Validates the rows at these positions, or all if null, again; resolves when done. */
  readonly replays: {
    replay(
      ingest: Ingest,
      positions: readonly number[] | null,
      signal: AbortSignal,
      repair: Repair,
    ): Promise<ReplayAnswer>
  }
  readonly preview: {
    /** Returns the outcome for the first of these rows. */
    preview(ingest: Ingest, positions: readonly number[] | null, repair: Repair): Promise<PreviewAnswer>
  }
  /** Called after rows were removed from the list, which may make space for others. */
  readonly discarded: () => Promise<void>
}

function mappingOf({ drop, rename, set, set_missing, convert }: Omit<ReplayRequest, 'ids' | 'into'>): RowMapping {
  const asJson = (values: ReplayRequest['set'] = {}): ReadonlyMap<string, string> =>
    new Map(Object.entries(values).map(([name, value]) => [name, JSON.stringify(value)]))
  return {
    drop: new Set(drop),
    rename: new Map(Object.entries(rename ?? {})),
    set: asJson(set),
    setMissing: asJson(set_missing),
    convert: new Map(Object.entries(convert ?? {})),
  }
}

/** The rejected rows of an ingest, from all subscribers. All methods throw Problem `ingest_not_found`, and those of `RejectedRows`. */
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
   * Mends rows and validates them again, against the current fields of their ingest or of the ingest they go into: those with these ids, or all. Ids that are
   * not in the list are ignored, so the call can be repeated. Throws Problem `invalid_request` for a bad id or ingest, and those of the journal.
   */
  async replay(alias: string, request: ReplayRequest, signal: AbortSignal): Promise<ReplayAnswer> {
    const { ingest, positions, repair } = await this.#asked(alias, request)
    const answer = await this.#parts.replays.replay(ingest, positions, signal, repair)
    await this.#parts.discarded()
    return answer
  }

  /** The outcome of a replay for the first rows. Throws the same as `replay`, except the journal's Problems. */
  async previewReplay(alias: string, request: ReplayRequest): Promise<PreviewAnswer> {
    const { ingest, positions, repair } = await this.#asked(alias, request)
    return this.#parts.preview.preview(ingest, positions, repair)
  }

  async #asked(alias: string, { ids, into, ...changes }: ReplayRequest) {
    const { ingests } = this.#parts
    const ingest = await foundIngest(ingests, alias)
    const positions = positionsOf(ids)
    const target = into === undefined ? null : await ingests.find(into)
    if (into !== undefined && target === null) {
      throw invalidRequest(
        'into',
        `there is no ingest ${JSON.stringify(into)}.${didYouMean(into, await namesOf(ingests))}`,
      )
    }
    const isMended = Object.values(changes).some((change) => change !== undefined)
    const repair: Repair = {
      ...(target === null ? {} : { into: target }),
      ...(isMended ? { mapping: mappingOf(changes) } : {}),
    }
    return { ingest, positions, repair }
  }

  async #all(alias: string): Promise<RowsOf> {
    const { id } = await foundIngest(this.#parts.ingests, alias)
    return { ingestId: id, subscriberId: null }
  }
}
