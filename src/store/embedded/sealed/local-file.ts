import type { SealedFileInfo, StoredFile } from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import type { BlockingFile, OpenBlocking } from './blocking-file.ts'
import type { ByteCache, CacheEntry } from './byte-cache.ts'
import { CachedPages, PassingPages } from './cached-pages.ts'
import { DamagedFileError } from './damaged-file.ts'
import { FileIndex } from './file-index.ts'
import type { FilePaths } from './file-paths.ts'
import { storedName } from './index-layout.ts'
import { LoadedIndex } from './loaded-index.ts'
import { LocalPages } from './local-pages.ts'
import { type DecodedColumn, type DictionaryOf, readPage } from './page-decoder.ts'

/** The caches shared by all files of the store. */
export interface SharedCaches {
  /** Decoded pages and their dictionaries, in bytes. */
  readonly pages: ByteCache
  /** Loaded indexes, in bytes. */
  readonly indexes: ByteCache
  /** Open files, each counting 1. */
  readonly handles: ByteCache
}

export interface FileSurroundings {
  readonly registry: EntityRegistry
  readonly caches: SharedCaches
  readonly openBlocking: OpenBlocking
}

/** A sealed file. Its index and pages are in memory, and the file is open, while the caches keep them. */
export class LocalFile implements StoredFile {
  readonly info: SealedFileInfo
  readonly #paths: FilePaths
  readonly #surroundings: FileSurroundings
  readonly #pages: CachedPages
  #index: LoadedIndex | null = null
  #handle: OpenHandle | null = null
  /** The places of the file's columns by the entity's index; a column's index never changes. */
  #places: ReadonlyMap<number, number> | null = null

  #fields: readonly string[] | null = null

  constructor(info: SealedFileInfo, paths: FilePaths, surroundings: FileSurroundings) {
    this.info = info
    this.#paths = paths
    this.#surroundings = surroundings
    this.#pages = new CachedPages(this, surroundings.caches.pages)
  }

  open(columns: readonly number[], pass: 'cached' | 'once'): LocalPages {
    const loaded = this.#load()
    this.#places ??= this.#learnColumns(loaded.index)
    const pages = pass === 'cached' ? this.#pages : new PassingPages(this)
    // A copy needs all columns of the file, whether or not they were known before the file was opened.
    const wanted = pass === 'cached' ? columns : [...this.#places.keys()]
    return new LocalPages(loaded, this.#places, wanted, pages)
  }

  get worked(): ByteCache {
    return this.#surroundings.caches.indexes
  }

  /** The paths of the file and its index, and its columns, for an engine that reads Parquet. */
  describe(): { readonly paths: FilePaths; readonly fields: readonly string[] } {
    this.#fields ??= this.index.columns.map(storedName)
    return { paths: this.#paths, fields: this.#fields }
  }

  get digits(): ReadonlyMap<string, number | null> {
    const { index } = this
    const groups = [...index.groupEnds.keys()]
    const filled = [...index.columns.entries()].filter(
      ([place, { type }]) => type === 'double' && groups.some((group) => !index.isEmpty(group, place)),
    )
    return new Map(filled.map(([, { name, digits }]) => [name, digits]))
  }

  get index(): FileIndex {
    return this.#load().index
  }

  read(index: FileIndex, page: number, place: number, dictionaryOf: DictionaryOf): DecodedColumn | null {
    return readPage({ file: this.#file(), path: this.#paths.parquet, index }, page, place, dictionaryOf)
  }

  /** Releases its memory and closes the file. It must have no readers. */
  close(): void {
    const { indexes, handles } = this.#surroundings.caches
    this.#pages.clear()
    if (this.#index !== null) indexes.forget(this.#index)
    this.#index = null
    if (this.#handle === null) return
    handles.forget(this.#handle)
    this.#handle.evict()
  }

  #load(): LoadedIndex {
    const { caches, openBlocking } = this.#surroundings
    if (this.#index === null) {
      const index = new FileIndex(this.#paths.index, openBlocking)
      this.#requireOwn(index)
      this.#index = new LoadedIndex(index, {
        grown: (loaded) => {
          if (this.#index === loaded) caches.indexes.use(loaded, loaded.bytes)
        },
        evicted: () => {
          this.#index = null
        },
      })
    }
    const loaded = this.#index
    caches.indexes.use(loaded, loaded.bytes)
    return loaded
  }

  /** With the index of another file, queries would return wrong results. */
  #requireOwn(index: FileIndex): void {
    const { entityId, rows, bytes, firstPosition, lastPosition } = this.info
    const { summary } = index
    const isOwn =
      summary.entityId === entityId &&
      summary.rows === rows &&
      summary.parquetBytes === bytes &&
      summary.firstPosition === firstPosition &&
      summary.lastPosition === lastPosition
    if (!isOwn) index.fail('it does not belong to the file in the manifest')
    const { count } = this.#surroundings.registry.series
    const unknown = index.numbers.find((number) => number >= count)
    if (unknown !== undefined) index.fail(`it has series ${unknown}, and the registry of its entity only ${count}`)
  }

  #learnColumns({ columns }: FileIndex): ReadonlyMap<number, number> {
    const known = this.#surroundings.registry.columns
    const places = new Map<number, number>()
    for (const [place, { name, type, role }] of columns.entries()) {
      if (role === 'value') places.set(known.learn(name, type).index, place)
    }
    return places
  }

  #file(): BlockingFile {
    const { caches, openBlocking } = this.#surroundings
    this.#handle ??= new OpenHandle(this.#openHandle(openBlocking), () => {
      this.#handle = null
    })
    const { file } = this.#handle
    caches.handles.use(this.#handle, 1)
    return file
  }

  #openHandle(openBlocking: OpenBlocking): BlockingFile {
    try {
      return openBlocking(this.#paths.parquet)
    } catch (error) {
      throw new DamagedFileError(this.#paths.parquet, 'it cannot be opened', error)
    }
  }
}

class OpenHandle implements CacheEntry {
  readonly file: BlockingFile
  readonly #closed: () => void

  constructor(file: BlockingFile, closed: () => void) {
    this.file = file
    this.#closed = closed
  }

  evict(): void {
    this.file.close()
    this.#closed()
  }
}
