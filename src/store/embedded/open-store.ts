// Opens the store as its manifest describes it, and removes files that the manifest does not list.

import { join } from 'node:path'
import type { Manifest, StoredVector, StoreRegistry } from '../../catalog/manifest.ts'
import { addTo } from '../../lib/add-to.ts'
import type { Disk } from '../../lib/disk.ts'
import type { Deletion } from '../../model/deletion.ts'
import type { Observe } from '../../observe/event.ts'
import { type DeletionVector, decodeRows } from './deletions/deletion-vector.ts'
import { VisibleFile } from './deletions/visible-file.ts'
import { EmbeddedStore, type EmbeddedStoreSettings } from './embedded-store.ts'
import type { SealedFile, StoredFile } from './reading/sealed-source.ts'
import type { EntityRegistry } from './registry/entity-registry.ts'
import { RegistryLog } from './registry/registry-log.ts'
import { LocalFolder, type LocalFolderOptions } from './sealed/local-folder.ts'

export interface OpenStoreSettings {
  readonly headRows: number
  readonly pageRows: number
  readonly pageCacheBytes: number
  readonly indexCacheBytes: number
}

export interface OpenStoreOptions {
  readonly disk: Disk
  /** The folder of the sealed files. */
  readonly directory: string
  readonly settings: OpenStoreSettings
  readonly manifest: Manifest
  /** The deletions and their vectors; absent if there are none. */
  readonly deletions?: { readonly all: readonly Deletion[]; readonly vectors: readonly StoredVector[] }
  /** `ManifestCatalog.settle`: called at most once, before something is deleted. */
  readonly settle: () => Promise<void>
  /** Ids of the entities whose newer rows replace older ones. */
  readonly replacing: ReadonlySet<number>
  /** Whether no file may be deleted: leftovers of a crash are then removed at the next start. */
  readonly isHeld: boolean
  readonly observe: Observe
  /** Overrides for tests. */
  readonly memory?: Partial<EmbeddedStoreSettings>
  readonly folder?: Partial<Pick<LocalFolderOptions, 'writing' | 'openBlocking' | 'randomBytes'>>
}

export interface OpenedStore {
  readonly store: EmbeddedStore
  readonly folder: LocalFolder
  readonly files: readonly SealedFile[]
  /** Deletes the folder of an entity that is not in any manifest. */
  readonly removeEntity: (entityId: number) => Promise<void>
  /** Writes series that are not on disk yet. The returned registries are on disk and must be recorded. */
  readonly extendRegistries: () => Promise<readonly StoreRegistry[]>
}

/** Throws an Error that names the file if a registry is damaged. */
export async function openStore(options: OpenStoreOptions): Promise<OpenedStore> {
  const { disk, directory, settings, manifest, replacing, observe } = options
  const store = new EmbeddedStore(
    { chunkRows: chunkRowsOf(settings.headRows), ...options.memory },
    manifest.sealedPosition,
  )
  const folder = new LocalFolder({
    disk,
    directory,
    registryOf: (entityId) => store.registry(entityId),
    pageRows: settings.pageRows,
    groupRows: groupRowsOf(settings.headRows),
    pageCacheBytes: settings.pageCacheBytes,
    indexCacheBytes: settings.indexCacheBytes,
    ...options.folder,
  })
  const settle = once(options.settle)
  await disk.makeDirectory(directory)
  if (!options.isHeld) await removeOrphans(folder, { ...options, settle })
  const registries = new Registries({ ...options, settle }, store)
  for (const recorded of manifest.registries) {
    await registries.open(recorded)
    if (replacing.has(recorded.entityId)) store.registry(recorded.entityId).columns.replaceRows()
  }
  const shown = new ShownFiles(options.deletions)
  const files = manifest.files.map((info) => shown.of(folder.open(info), store.registry(info.entityId).of(info)))
  store.switchFiles({ add: files, remove: [], frozen: null, gone: () => undefined })
  if (files.length > 0) observe({ kind: 'storeOpened', files: files.length, position: manifest.sealedPosition })
  const removeEntity = (entityId: number) => disk.removeFolder(join(directory, String(entityId)))
  const extendRegistries = (): Promise<readonly StoreRegistry[]> => registries.extend()
  return { store, folder, files, removeEntity, extendRegistries }
}

/** A row group takes no more memory than the head, unless the head is so small that dictionaries would repeat too often. */
export const groupRowsOf = (headRows: number): number => Math.min(1 << 20, Math.max(1 << 16, headRows))

/** A chunk is at most a quarter of the head, so that a small head is not a single half-empty chunk. */
const chunkRowsOf = (headRows: number): number => Math.min(1 << 18, Math.max(1 << 10, headRows >> 2))

/** Makes views of files without their deleted rows. */
class ShownFiles {
  readonly #metrics: ReadonlyMap<number, DeletionVector['metrics']>
  readonly #vectors = new Map<string, StoredVector[]>()

  constructor({ all, vectors }: NonNullable<OpenStoreOptions['deletions']> = { all: [], vectors: [] }) {
    this.#metrics = new Map(
      all.map(({ id, selection }) => [id, selection.metrics?.map(({ name }) => name) ?? null] as const),
    )
    for (const vector of vectors) {
      const key = `${vector.entityId}/${vector.name}`
      addTo(this.#vectors, key, vector)
    }
  }

  /** Throws an Error if a stored deletion vector is damaged. */
  of(file: StoredFile, registry: EntityRegistry): SealedFile {
    const { entityId, name } = file.info
    const vectors = this.#vectors.get(`${entityId}/${name}`)?.map((vector) => this.#vectorOf(vector))
    return vectors === undefined ? file : new VisibleFile(file, vectors, registry)
  }

  #vectorOf({ deletionId, bytes }: StoredVector): DeletionVector {
    const rows = decodeRows(bytes)
    const metrics = this.#metrics.get(deletionId)
    if (rows !== null && metrics !== undefined) return { deletionId, metrics, rows }
    throw new Error(`catalog.sqlite is damaged: deletion ${deletionId} is not as written. Restore a backup.`)
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => {
    done ??= work()
    return done
  }
}

/** Removes leftovers of a crash: files that were being written or had been replaced. */
async function removeOrphans(
  folder: LocalFolder,
  { disk, directory, manifest, settle, observe }: OpenStoreOptions,
): Promise<void> {
  const names: string[] = []
  for (const name of await disk.listFolders(directory)) {
    if (!/^\d+$/.test(name)) continue
    const entityId = Number(name)
    names.push(...(await folder.removeOrphans(entityId, manifest.files, settle)))
    // The entity was dropped, or its first series were written for a file that was never recorded.
    const isKnown = [...manifest.files, ...manifest.registries].some((kept) => kept.entityId === entityId)
    if (isKnown) continue
    await settle()
    await disk.removeFolder(join(directory, name))
  }
  if (names.length > 0) observe({ kind: 'orphansRemoved', names })
}

class Registries {
  readonly #options: OpenStoreOptions
  readonly #store: EmbeddedStore
  readonly #logs = new Map<number, RegistryLog>()
  /** Registries that were extended by an attempt which then failed at another entity. They must still be recorded. */
  readonly #extended = new Map<number, StoreRegistry>()

  constructor(options: OpenStoreOptions, store: EmbeddedStore) {
    this.#options = options
    this.#store = store
  }

  async open(recorded: StoreRegistry): Promise<void> {
    this.#logs.set(recorded.entityId, await RegistryLog.open(this.#partsOf(recorded.entityId), recorded))
  }

  written(entityId: number): StoreRegistry | null {
    const written = this.#logs.get(entityId)?.written ?? null
    return written?.bytes === 0 ? null : written
  }

  async extend(): Promise<readonly StoreRegistry[]> {
    for (const entityId of this.#store.entityIds) {
      const log = this.#logs.get(entityId) ?? (await RegistryLog.begin(this.#partsOf(entityId)))
      this.#logs.set(entityId, log)
      const registry = await log.extend()
      if (registry !== null) this.#extended.set(entityId, registry)
    }
    const extended = [...this.#extended.values()]
    this.#extended.clear()
    return extended
  }

  #partsOf(entityId: number) {
    const { disk, directory, settle } = this.#options
    return { disk, directory: join(directory, String(entityId)), registry: this.#store.registry(entityId), settle }
  }
}
