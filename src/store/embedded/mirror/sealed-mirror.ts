import { join } from 'node:path'
import type { StoreRegistry } from '../../../catalog/manifest.ts'
import type { Disk } from '../../../lib/disk.ts'
import { EmbeddedStore, type EmbeddedStoreSettings } from '../embedded-store.ts'
import type { SealedFile, SealedFileInfo } from '../reading/sealed-source.ts'
import { noSeries } from '../registry/registry-format.ts'
import { readRegistry } from '../registry/registry-log.ts'
import type { OpenBlocking } from '../sealed/blocking-file.ts'
import { LocalFolder } from '../sealed/local-folder.ts'

/** What changed of the sealed files of an entity. */
export interface EntityChange {
  readonly entityId: number
  /** Whether newer rows replace older ones. */
  readonly replaces: boolean
  /** What is on disk of its series; null where nothing is. */
  readonly registry: StoreRegistry | null
  readonly add: readonly SealedFileInfo[]
  readonly remove: readonly SealedFileInfo[]
}

export interface SealedMirrorOptions {
  readonly disk: Disk
  /** Of the sealed files. */
  readonly directory: string
  readonly pageCacheBytes: number
  readonly indexCacheBytes: number
  /** Told of each removed file once nobody reads it here. */
  readonly gone: (info: SealedFileInfo) => void
  readonly openBlocking?: OpenBlocking
  readonly settings?: Partial<EmbeddedStoreSettings>
}

/** The sealed files of a store that another thread keeps, to be read here. Nothing is written. */
export class SealedMirror {
  /** Its memory holds no rows by itself. */
  readonly store: EmbeddedStore
  readonly #options: SealedMirrorOptions
  readonly #folder: LocalFolder
  /** How far the registry of each entity was read. */
  readonly #known = new Map<number, StoreRegistry>()

  constructor(options: SealedMirrorOptions) {
    this.#options = options
    this.store = new EmbeddedStore(options.settings)
    this.#folder = new LocalFolder({
      ...options,
      registryOf: (entityId) => this.store.registry(entityId),
      // Nothing is written.
      pageRows: 1,
    })
  }

  /** Changes come one after the other. Throws an Error that names the file when a registry is damaged. */
  async change(change: EntityChange): Promise<void> {
    await this.readRegistry(change.registry)
    this.switchFiles(change)
  }

  /** The first half of a change: what is on disk of the series that its files have. Null when all of it was read before. */
  readRegistry(written: StoreRegistry | null): Promise<void> | null {
    if (written === null) return null
    const known = this.#known.get(written.entityId) ?? { entityId: written.entityId, ...noSeries }
    return known.bytes >= written.bytes ? null : this.#readRegistry(written, known)
  }

  /** The second half, at once. */
  switchFiles({ entityId, replaces, add, remove }: Omit<EntityChange, 'registry'>): void {
    if (replaces) this.store.registry(entityId).columns.replaceRows()
    const names = new Set(remove.map(({ name }) => name))
    this.store.switchFiles({
      add: add.map((info) => this.#folder.open(info)),
      remove: this.store.files(entityId).filter(({ info }) => names.has(info.name)),
      frozen: null,
      gone: this.#gone,
    })
  }

  drop(entityId: number): void {
    this.#known.delete(entityId)
    this.store.drop(entityId, this.#gone)
  }

  readonly #gone = (file: SealedFile): void => {
    this.#folder.close(file)
    this.#options.gone(file.info)
  }

  async #readRegistry(written: StoreRegistry, known: StoreRegistry): Promise<void> {
    const { entityId } = written
    const { disk, directory } = this.#options
    const registry = this.store.registry(entityId)
    await readRegistry({ disk, directory: join(directory, String(entityId)), registry }, written, known)
    this.#known.set(entityId, written)
  }
}
