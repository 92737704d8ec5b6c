import { randomBytes as randomBytesOfSystem } from 'node:crypto'
import { join } from 'node:path'
import type { Disk } from '../../../lib/disk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { SpareBuffers } from '../../../lib/spare-buffers.ts'
import { msPerDay } from '../../../model/instant.ts'
import { baseOf } from '../deletions/visible-file.ts'
import type { SealedFile, SealedFileInfo, SealedTarget, StoredFile, StoredFolder } from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { type OpenBlocking, openBlocking } from './blocking-file.ts'
import { ByteCache } from './byte-cache.ts'
import { type FilePaths, temporary } from './file-paths.ts'
import { LocalFile, type SharedCaches } from './local-file.ts'
import { LocalFileWriter, type WriterOptions } from './local-file-writer.ts'

export interface LocalFolderOptions {
  readonly disk: Disk
  readonly directory: string
  readonly registryOf: (entityId: number) => EntityRegistry
  readonly pageRows: number
  /** The most rows of a row group. */
  readonly groupRows?: number
  readonly pageCacheBytes: number
  readonly indexCacheBytes: number
  /** Overrides for tests and benchmarks. */
  readonly writing?: Partial<WriterOptions>
  readonly spares?: SpareBuffers
  readonly openBlocking?: OpenBlocking
  readonly openFilesMax?: number
  readonly randomBytes?: (count: number) => Uint8Array
}

/** Enough for a row group of many columns and for encoding it. */
const spareMemory = { bytesMin: 65_536, bytesMax: 128 * 1024 * 1024, idleMs: 10_000 }

const endings = ['.parquet', '.index'] as const

/** The sealed files of the store: `<entity>/<name>.parquet`, with `.index` next to it. */
export class LocalFolder implements StoredFolder {
  readonly #options: LocalFolderOptions
  readonly #caches: SharedCaches
  /** Memory in which one file was written, reused for the next. */
  readonly #spares: SpareBuffers

  constructor(options: LocalFolderOptions) {
    this.#options = options
    this.#spares = options.spares ?? new SpareBuffers(spareMemory)
    this.#caches = {
      pages: new ByteCache(options.pageCacheBytes),
      indexes: new ByteCache(options.indexCacheBytes),
      handles: new ByteCache(options.openFilesMax ?? 256),
    }
  }

  get pageCacheBytes(): number {
    return this.#caches.pages.bytes
  }

  get indexCacheBytes(): number {
    return this.#caches.indexes.bytes
  }

  /** Drops cached data that was not used since the last call; returns its bytes, including spare memory that was released. */
  dropUnused(): number {
    const { pages, indexes } = this.#caches
    return pages.dropUnused() + indexes.dropUnused() + this.#spares.takeLetGoBytes()
  }

  async create(target: SealedTarget, pacer: Pacer): Promise<LocalFileWriter> {
    const {
      disk,
      registryOf,
      pageRows,
      groupRows = 1 << 20,
      writing,
      randomBytes = randomBytesOfSystem,
    } = this.#options
    const { entityId, day, kind } = target
    const date = day === null ? kind : new Date(day * msPerDay).toISOString().slice(0, 10)
    const name = `${date}-${Buffer.from(randomBytes(6)).toString('hex')}`
    await disk.makeDirectory(this.#entityDirectory(entityId))
    return LocalFileWriter.create({
      disk,
      paths: this.#paths(entityId, name),
      name,
      target,
      registry: registryOf(entityId).of(target),
      pacer,
      spares: this.#spares,
      options: { ...defaults(pageRows, groupRows), ...writing },
      open: (info) => this.open(info),
    })
  }

  /** A file of the manifest; nothing is read until it is used. */
  open(info: SealedFileInfo): LocalFile {
    return new LocalFile(info, this.#paths(info.entityId, info.name), {
      registry: this.#options.registryOf(info.entityId).of(info),
      caches: this.#caches,
      openBlocking: this.#options.openBlocking ?? openBlocking,
    })
  }

  sync(entityId: number): Promise<void> {
    return this.#options.disk.syncDirectory(this.#entityDirectory(entityId))
  }

  /** The paths of a file and its index, and its columns. */
  describe(file: SealedFile): { readonly paths: FilePaths; readonly fields: readonly string[] } {
    return this.#own(file).describe()
  }

  stored(file: SealedFile): StoredFile {
    return this.#own(file)
  }

  /** Releases the memory of a file without readers, and closes it. */
  close(file: SealedFile): void {
    this.#own(file).close()
  }

  /** Deletes a file that is in no manifest and has no readers. */
  async remove(file: SealedFile): Promise<void> {
    this.close(file)
    const { parquet, index } = this.#paths(file.info.entityId, file.info.name)
    // If only one of the two is deleted, the other is an orphan, which the next start removes.
    await this.#options.disk.remove(parquet)
    await this.#options.disk.remove(index)
  }

  /**
   * Deletes files in an entity's folder that are not in the manifest, and returns their paths. `settle` is called before deleting a file that a
   * commit may have named. While a file of the manifest is missing, complete files are kept, because they may contain its rows.
   */
  async removeOrphans(
    entityId: number,
    files: readonly SealedFileInfo[],
    settle: () => Promise<void>,
  ): Promise<string[]> {
    const { disk } = this.#options
    const directory = this.#entityDirectory(entityId)
    const known = new Set(
      files.filter((file) => file.entityId === entityId).flatMap(({ name }) => endings.map((ending) => name + ending)),
    )
    const there = await disk.list(directory)
    const unknown = there.filter((name) => isOfFile(name) && !known.has(name))
    const isWhole = there.filter((name) => known.has(name)).length === known.size
    const orphans = isWhole ? unknown : unknown.filter(isIncomplete)
    if (!orphans.every(isIncomplete)) await settle()
    for (const name of orphans) await disk.remove(join(directory, name))
    return orphans.map((name) => join(directory, name))
  }

  #own(file: SealedFile): LocalFile {
    const base = baseOf(file)
    if (!(base instanceof LocalFile)) throw new Error('the file is of another folder')
    return base
  }

  #entityDirectory(entityId: number): string {
    return join(this.#options.directory, String(entityId))
  }

  #paths(entityId: number, name: string): FilePaths {
    const path = join(this.#entityDirectory(entityId), name)
    return { parquet: `${path}.parquet`, index: `${path}.index` }
  }
}

function isOfFile(name: string): boolean {
  return endings.some((ending) => name.endsWith(ending)) || isIncomplete(name)
}

function isIncomplete(name: string): boolean {
  return endings.some((ending) => name.endsWith(temporary(ending)))
}

/** docs/decisions/sealed-files.md explains these values. */
function defaults(pageRows: number, groupRows: number): WriterOptions {
  return {
    pageRows,
    sharedPageRows: Math.min(4096, pageRows),
    groupRows,
    groupBytes: 64 * 1024 * 1024,
    pageCharacters: 2 * 1024 * 1024,
    hourRowsMin: 32,
    rollupBytesMax: 64 * 1024 * 1024,
    boundDatesRowsMin: 128,
    squaresRowsMin: 300,
    tailRowsMin: 16,
  }
}
