import { CachedState } from '../lib/cached-state.ts'
import type { Entity, MetadataEntity } from '../model/entity.ts'
import type { Ingest } from '../model/ingest.ts'
import type { IngestCatalog } from './catalog.ts'
import type { ClusterDeletionCatalog } from './deletions.ts'

interface Defined {
  readonly ingests: ReadonlyMap<string, Ingest>
  readonly entities: readonly Entity[]
  readonly metadataEntities: readonly MetadataEntity[]
}

type Deletions = Pick<ClusterDeletionCatalog, 'hidden'>

const retryMs = 1000

/**
 * An in-memory copy of the definitions of all ingests and entities, which every push and query needs. Code that changes a definition calls `refresh`; a
 * failed refresh is retried automatically.
 */
export class Definitions {
  readonly #cached: CachedState<Defined>
  #ingests: ReadonlyMap<string, Ingest> = new Map()
  #entities = new Map<string, Entity>()
  #metadataEntities = new Map<string, MetadataEntity>()

  private constructor(catalog: IngestCatalog, deletions: Deletions | null) {
    this.#cached = new CachedState({
      read: () => definedIn(catalog, deletions),
      hold: (defined) => this.#hold(defined),
      retryMs,
    })
  }

  /** `deletions` is the catalog of a cluster's deletions, from which entities get `hidden`. */
  static async open(catalog: IngestCatalog, deletions: Deletions | null = null): Promise<Definitions> {
    const definitions = new Definitions(catalog, deletions)
    await definitions.refresh()
    return definitions
  }

  refresh(): Promise<void> {
    return this.#cached.refresh()
  }

  close(): void {
    this.#cached.close()
  }

  ingest(alias: string): Ingest | undefined {
    return this.#ingests.get(alias)
  }

  /** In no particular order. */
  ingests(): Iterable<Ingest> {
    return this.#ingests.values()
  }

  entity(name: string): Entity | undefined {
    return this.#entities.get(name)
  }

  /** Ordered by name. */
  entities(): readonly Entity[] {
    return [...this.#entities.values()]
  }

  metadataEntity(name: string): MetadataEntity | undefined {
    return this.#metadataEntities.get(name)
  }

  /** Ordered by name. */
  metadataEntities(): readonly MetadataEntity[] {
    return [...this.#metadataEntities.values()]
  }

  #hold({ ingests, entities, metadataEntities }: Defined): void {
    this.#ingests = ingests
    this.#entities = new Map(entities.map((entity) => [entity.name, entity]))
    this.#metadataEntities = new Map(metadataEntities.map((entity) => [entity.name, entity]))
  }
}

async function definedIn(catalog: IngestCatalog, deletions: Deletions | null): Promise<Defined> {
  const ingests = new Map<string, Ingest>()
  for (let after: string | null = null; ; ) {
    const page: readonly Ingest[] = await catalog.list({ after, limit: 1000 })
    for (const ingest of page) ingests.set(ingest.alias, ingest)
    if (page.length < 1000) break
    after = page.at(-1)!.alias
  }
  const hidden = (await deletions?.hidden()) ?? new Map()
  const entities = (await catalog.entities()).map((entity) =>
    hidden.has(entity.id) ? { ...entity, hidden: hidden.get(entity.id) } : entity,
  )
  return { ingests, entities, metadataEntities: await catalog.metadataEntities() }
}
