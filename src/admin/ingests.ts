import type { DeletedData, IngestCatalog, StateSources } from '../catalog/catalog.ts'
import { didYouMean } from '../lib/likely-word.ts'
import type { Ingest, IngestCounters } from '../model/ingest.ts'
import { formatInstant } from '../model/instant.ts'
import type { NextTokens } from '../model/next-token.ts'
import type { Page, PageRequest } from '../model/page.ts'
import { Problem } from '../model/problem.ts'
import { selfEntity } from '../model/self-history.ts'
import type { Reach } from '../observe/crash-point.ts'
import { addedFields, newIngest } from './definition.ts'
import type { ChangeIngest, CreateIngest, IngestAnswer } from './ingest-schemas.ts'
import { pageOf } from './list-page.ts'

export interface IngestAdminParts {
  readonly ingests: IngestCatalog
  readonly tokens: NextTokens
  readonly counters: (ingestId: number) => IngestCounters
  /** Throws the same Problem as `counters` would, so that a request whose response would fail changes nothing. */
  readonly requireCounters: () => void
  /** Called after each change, so that it applies everywhere before the response. */
  readonly changed: () => Promise<void>
  /** Called after an entity was dropped, so that the store removes its data. */
  readonly dropped: () => void
  /** Since when an entity waits for slots to read its rows; null while it does not. */
  readonly waitingSinceMs: (entityId: number) => number | null
  readonly reach: Reach
  readonly nowMs: () => number
}

const reservedName = `The name "${selfEntity}" is reserved for the service's own history (the setting self.historyMs). Choose another one.`

export class IngestAdmin {
  readonly #parts: IngestAdminParts

  constructor(parts: IngestAdminParts) {
    this.#parts = parts
  }

  /**
   * Throws Problem `invalid_request` for a bad definition, `conflict` for a taken name. The name of the service's own history is reserved for the service,
   * whether or not that history exists.
   */
  async create(request: CreateIngest, isOfService = false): Promise<IngestAnswer> {
    const { ingests, changed, nowMs, requireCounters } = this.#parts
    requireCounters()
    const wanted = newIngest(request, nowMs())
    if (!isOfService && [wanted.alias, wanted.entity].includes(selfEntity)) throw new Problem('conflict', reservedName)
    const ingest = await ingests.create(wanted)
    await changed()
    return this.#answer(ingest)
  }

  /** Ordered by alias. */
  async list(request: PageRequest): Promise<Page<IngestAnswer>> {
    const { ingests, tokens } = this.#parts
    const page = await pageOf<Ingest>(request, {
      tokens,
      scope: ['/admin/ingests'],
      keyOf: ({ alias }) => alias,
      itemsAfter: (after, limit) => ingests.list({ after, limit }),
    })
    return { ...page, Items: page.Items.map((ingest) => this.#answer(ingest)) }
  }

  /** Throws Problem `ingest_not_found`. */
  async show(alias: string): Promise<IngestAnswer> {
    return this.#answer(await foundIngest(this.#parts.ingests, alias))
  }

  /** Throws Problem `ingest_not_found`, and `invalid_request` for fields that cannot be added. */
  async change(alias: string, request: ChangeIngest): Promise<IngestAnswer> {
    const { ingests, changed, requireCounters } = this.#parts
    requireCounters()
    const { kind } = await foundIngest(ingests, alias)
    const { state, reason, unknown } = request
    const addFields = addedFields(kind, request)
    const ingest = await ingests.change(alias, { state, reason, addFields, unknown })
    if (ingest === null) throw await unknownIngest(ingests, alias)
    await changed()
    return this.#answer(ingest)
  }

  /**
   * Deletes an ingest; with `drop`, also its entity with all of its data, none of which is readable after this resolves. Throws Problem `ingest_not_found`, and
   * `conflict` when another ingest feeds the entity to drop.
   */
  async delete(alias: string, data: DeletedData): Promise<void> {
    const { ingests, changed, dropped, reach, nowMs } = this.#parts
    if (!(await ingests.delete(alias, data, nowMs()))) throw await unknownIngest(ingests, alias)
    reach('ingest-deleted')
    try {
      await changed()
    } finally {
      // The catalog has recorded the drop, so it takes effect even if the rest fails.
      if (data === 'drop') dropped()
    }
  }

  #answer(ingest: Ingest): IngestAnswer {
    const sinceMs = this.#parts.waitingSinceMs(ingest.entityId)
    return {
      ...definitionOf(ingest),
      counters: this.#parts.counters(ingest.id),
      ...(sinceMs === null ? {} : { waits_for_slots_since: formatInstant(sinceMs) }),
    }
  }
}

function definitionOf(ingest: Ingest): Omit<IngestAnswer, 'counters'> {
  const { alias, kind, entity, fields, duplicates, unknown = 'reject', lines, state, reason, createdMs } = ingest
  return {
    alias,
    kind,
    ...(kind === 'series' ? { entity } : {}),
    fields: [...fields],
    ...(kind === 'series' ? { duplicates, unknown, lines: lines ?? null } : {}),
    state,
    reason,
    created: formatInstant(createdMs),
  }
}

/** The state of an ingest for the audit log; null when it does not exist. */
export async function ingestState({ ingests }: StateSources, alias: string): Promise<unknown> {
  const ingest = await ingests.find(alias)
  return ingest === null ? null : definitionOf(ingest)
}

/** Returns the ingest that a path names. Throws Problem `ingest_not_found` when there is none. */
export async function foundIngest(ingests: Pick<IngestCatalog, 'find' | 'list'>, alias: string): Promise<Ingest> {
  const ingest = await ingests.find(alias)
  if (ingest !== null) return ingest
  throw await unknownIngest(ingests, alias)
}

/** The most names to read for a suggestion in an error message. */
const namesMax = 1000

/** Names of ingests, to suggest one for a misspelt name. */
export async function namesOf(ingests: Pick<IngestCatalog, 'list'>): Promise<readonly string[]> {
  return (await ingests.list({ after: null, limit: namesMax })).map(({ alias }) => alias)
}

async function unknownIngest(ingests: Pick<IngestCatalog, 'list'>, alias: string): Promise<Problem> {
  const names = await namesOf(ingests)
  return new Problem(
    'ingest_not_found',
    `There is no ingest "${alias}".${didYouMean(alias, names)} GET /admin/ingests lists all ingests.`,
  )
}
