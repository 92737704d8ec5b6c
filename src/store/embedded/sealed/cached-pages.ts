// Two ways of keeping decoded pages: in the cache shared by all files, or one at a time for a reader that passes through a file once.
import type { Pacer } from '../../../lib/pacer.ts'
import type { PageDictionary } from '../parquet/decode-page.ts'
import type { ByteCache, CacheEntry } from './byte-cache.ts'
import type { FileIndex } from './file-index.ts'
import { PageChunk, type PageOwner, type WantedColumns } from './page-chunk.ts'
import { type DecodedColumn, type DictionaryOf, dictionaryBytes } from './page-decoder.ts'

export interface Pages {
  /** A page with at least the wanted columns. */
  chunk(page: number, wanted: WantedColumns): PageChunk
  /** Reads ahead data shared by several pages, in small steps; null when there is nothing to wait for. */
  prepare(page: number, wanted: WantedColumns, pacer: Pacer): Promise<void> | null
}

/** The file of the pages. */
export interface PageFile {
  /** The index, loaded again if needed. */
  readonly index: FileIndex
  read(index: FileIndex, page: number, place: number, dictionaryOf: DictionaryOf): DecodedColumn | null
}

/** Pages of one file in the cache shared by all files. */
export class CachedPages implements Pages, PageOwner {
  readonly #file: PageFile
  readonly #cache: ByteCache
  readonly #pages = new Map<number, KeptPage>()
  readonly #dictionaries = new Map<string, KeptDictionary>()

  constructor(file: PageFile, cache: ByteCache) {
    this.#file = file
    this.#cache = cache
  }

  chunk(page: number, wanted: WantedColumns): PageChunk {
    let kept = this.#pages.get(page)
    if (kept === undefined) {
      kept = new KeptPage(new PageChunk(page, wanted.index, this), this.#pages)
      this.#pages.set(page, kept)
    }
    kept.chunk.decodeMissing(wanted)
    this.#cache.use(kept, kept.chunk.bytes)
    return kept.chunk
  }

  /** Dictionaries stay in the cache, so a run has little to wait for. */
  prepare(): null {
    return null
  }

  decode(page: number, place: number, index: FileIndex | null): DecodedColumn | null {
    return this.#file.read(index ?? this.#file.index, page, place, this.#dictionaryOf)
  }

  grown(chunk: PageChunk): void {
    const kept = this.#pages.get(chunk.page)
    if (kept?.chunk === chunk) this.#cache.use(kept, chunk.bytes)
  }

  /** Releases all pages and dictionaries. */
  clear(): void {
    for (const kept of [...this.#pages.values(), ...this.#dictionaries.values()]) {
      this.#cache.forget(kept)
      kept.evict()
    }
  }

  readonly #dictionaryOf: DictionaryOf = (group, column, load) => {
    const key = `${group} ${column}`
    let kept = this.#dictionaries.get(key)
    if (kept === undefined) {
      kept = new KeptDictionary(key, load(), this.#dictionaries)
      this.#dictionaries.set(key, kept)
    }
    this.#cache.use(kept, kept.bytes)
    return kept.dictionary
  }
}

class KeptPage implements CacheEntry {
  readonly chunk: PageChunk
  readonly #pages: Map<number, KeptPage>

  constructor(chunk: PageChunk, pages: Map<number, KeptPage>) {
    this.chunk = chunk
    this.#pages = pages
  }

  evict(): void {
    this.#pages.delete(this.chunk.page)
  }
}

class KeptDictionary implements CacheEntry {
  readonly dictionary: PageDictionary
  readonly bytes: number
  readonly #key: string
  readonly #dictionaries: Map<string, KeptDictionary>

  constructor(key: string, dictionary: PageDictionary, dictionaries: Map<string, KeptDictionary>) {
    this.#key = key
    this.dictionary = dictionary
    this.bytes = dictionaryBytes(dictionary)
    this.#dictionaries = dictionaries
  }

  evict(): void {
    this.#dictionaries.delete(this.#key)
  }
}

/** The cost of reading a large dictionary, in units of a pacer. */
const dictionaryUnits = 1 << 16

/** The current page, and the dictionaries of its row group. */
export class PassingPages implements Pages, PageOwner {
  readonly #file: PageFile
  readonly #dictionaries = new Map<number, PageDictionary>()
  #group = -1
  #chunk: PageChunk | null = null

  constructor(file: PageFile) {
    this.#file = file
  }

  chunk(page: number, wanted: WantedColumns): PageChunk {
    if (this.#chunk?.page !== page) this.#chunk = new PageChunk(page, wanted.index, this)
    this.#chunk.decodeMissing(wanted)
    return this.#chunk
  }

  decode(page: number, place: number, index: FileIndex | null): DecodedColumn | null {
    return this.#file.read(index ?? this.#file.index, page, place, this.#dictionaryOf)
  }

  grown(): void {}

  prepare(page: number, wanted: WantedColumns, pacer: Pacer): Promise<void> | null {
    return wanted.index.groupOf(page) === this.#group ? null : this.#readAhead(page, wanted, pacer)
  }

  /** A row group has a dictionary of up to a mebibyte for each column: reading all of them in one step would take long. */
  async #readAhead(page: number, wanted: WantedColumns, pacer: Pacer): Promise<void> {
    // Needed even when no column has a dictionary, so that a page is not read again for each series.
    this.#begin(wanted.index.groupOf(page))
    const chunk = new PageChunk(page, wanted.index, this)
    for (const column of wanted.columns) {
      chunk.decodeMissing({ index: wanted.index, columns: [column] })
      if (pacer.spend(dictionaryUnits)) await pacer.rest()
    }
    this.#chunk = chunk
  }

  readonly #dictionaryOf: DictionaryOf = (group, column, load) => {
    this.#begin(group)
    const known = this.#dictionaries.get(column)
    if (known !== undefined) return known
    const dictionary = load()
    this.#dictionaries.set(column, dictionary)
    return dictionary
  }

  #begin(group: number): void {
    if (group !== this.#group) this.#dictionaries.clear()
    this.#group = group
  }
}
