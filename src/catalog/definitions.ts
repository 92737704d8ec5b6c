import type { Entity, MetadataEntity } from '../model/entity.ts'
import type { Ingest } from '../model/ingest.ts'
import type { IngestCatalog } from './catalog.ts'

/** The definitions of all ingests and entities, in memory: every push and query needs one. Whoever changes them calls `refresh`. */
export class Definitions {
  readonly #catalog: IngestCatalog
  #version = -1
  #ingests = new Map<string, Ingest>()
  #entities = new Map<string, Entity>()
  #metadataEntities = new Map<string, MetadataEntity>()

  private constructor(catalog: IngestCatalog) {
    this.#catalog = catalog
  }

  static async open(catalog: IngestCatalog): Promise<Definitions> {
    const definitions = new Definitions(catalog)
    await definitions.refresh()
    return definitions
  }

  async refresh(): Promise<void> {
    const version = await this.#catalog.version()
    const ingests = new Map<string, Ingest>()
    for (let after: string | null = null; ; ) {
      const page: readonly Ingest[] = await this.#catalog.list({ after, limit: 1000 })
      for (const ingest of page) ingests.set(ingest.alias, ingest)
      if (page.length < 1000) break
      after = page.at(-1)!.alias
    }
    const entities = await this.#catalog.entities()
    const metadataEntities = await this.#catalog.metadataEntities()
    // Of two refreshes at once, the one that read the older definitions may come to its end last.
    if (version < this.#version) return
    this.#version = version
    this.#ingests = ingests
    this.#entities = new Map(entities.map((entity) => [entity.name, entity]))
    this.#metadataEntities = new Map(metadataEntities.map((entity) => [entity.name, entity]))
  }

  ingest(alias: string): Ingest | undefined {
    return this.#ingests.get(alias)
  }

  entity(name: string): Entity | undefined {
    return this.#entities.get(name)
  }

  /** By name. */
  entities(): readonly Entity[] {
    return [...this.#entities.values()]
  }

  metadataEntity(name: string): MetadataEntity | undefined {
    return this.#metadataEntities.get(name)
  }

  /** By name. */
  metadataEntities(): readonly MetadataEntity[] {
    return [...this.#metadataEntities.values()]
  }
}
