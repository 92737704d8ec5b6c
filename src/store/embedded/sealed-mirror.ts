import { join } from 'node:path'
import type { StoreRegistry } from '../../catalog/manifest.ts'
import type { Disk } from '../../lib/disk.ts'
import { EmbeddedStore } from './embedded-store.ts'
import type { SealedFile, SealedFileInfo } from './reading/sealed-source.ts'
import { readRegistry } from './registry/registry-log.ts'
import { LocalFolder } from './sealed/local-folder.ts'

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
}

/** The sealed files of a store that another thread keeps, to be read here. Nothing is written. */
export class SealedMirror {
  /** Its memory holds no rows. */
  readonly store = new EmbeddedStore()
  readonly #options: SealedMirrorOptions
  readonly #folder: LocalFolder
  /** How far the registry of each entity was read. */
  readonly #knownBytes = new Map<number, number>()

  constructor(options: SealedMirrorOptions) {
    this.#options = options
    this.#folder = new LocalFolder({
      ...options,
      registryOf: (entityId) => this.store.registry(entityId),
      // Nothing is written.
      pageRows: 1,
    })
  }

  /** Changes come one after the other. Throws an Error that names the file when a registry is damaged. */
  async change({ entityId, replaces, registry, add, remove }: EntityChange): Promise<void> {
    if (replaces) this.store.registry(entityId).columns.replaceRows()
    if (registry !== null) await this.#readRegistry(registry)
    const names = new Set(remove.map(({ name }) => name))
    this.store.switchFiles({
      add: add.map((info) => this.#folder.open(info)),
      remove: this.store.files(entityId).filter(({ info }) => names.has(info.name)),
      frozen: null,
      gone: this.#gone,
    })
  }

  drop(entityId: number): void {
    this.#knownBytes.delete(entityId)
    this.store.drop(entityId, this.#gone)
  }

  readonly #gone = (file: SealedFile): void => {
    this.#folder.close(file)
    this.#options.gone(file.info)
  }

  async #readRegistry(written: StoreRegistry): Promise<void> {
    const { entityId, bytes } = written
    const knownBytes = this.#knownBytes.get(entityId) ?? 0
    if (knownBytes >= bytes) return
    const { disk, directory } = this.#options
    const registry = this.store.registry(entityId)
    await readRegistry({ disk, directory: join(directory, String(entityId)), registry }, written, knownBytes)
    this.#knownBytes.set(entityId, bytes)
  }
}
