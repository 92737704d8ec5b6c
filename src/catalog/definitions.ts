import type { Entity } from '../model/entity.ts'
import type { Ingest } from '../model/ingest.ts'
import type { IngestCatalog } from './catalog.ts'

/** The definitions of all ingests and entities, in memory: every push and query needs one. Whoever changes them calls `refresh`. */
export class Definitions {
  readonly #catalog: IngestCatalog
  #ingests = new Map<string, Ingest>()
  #entities = new Map<string, Entity>()

  private constructor(catalog: IngestCatalog) {
    this.#catalog = catalog
  }

  static async open(catalog: IngestCatalog): Promise<Definitions> {
    const definitions = new Definitions(catalog)
    await definitions.refresh()
    return definitions
  }

  async refresh(): Promise<void> {
    const ingests = new Map<string, Ingest>()
    for (let after: string | null = null; ; ) {
      const page: readonly Ingest[] = await this.#catalog.list({ after, limit: 1000 })
      for (const ingest of page) ingests.set(ingest.alias, ingest)
      if (page.length < 1000) break
      after = page.at(-1)!.alias
    }
    this.#entities = new Map((await this.#catalog.entities()).map((entity) => [entity.name, entity]))
    this.#ingests = ingests
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
}
