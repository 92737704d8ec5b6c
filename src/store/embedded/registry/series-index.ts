import { forEachChunk } from '../../../lib/for-each-chunk.ts'
import type { Pacer } from '../../../lib/pacer.ts'
import { inOrder } from '../../../lib/sort-in-slices.ts'
import { nullCode } from '../../../model/column.ts'
import { Dictionary } from '../head/dictionary.ts'
import { GrowableInt32 } from '../head/growable.ts'

const none = -1

/** One tag field of an entity: the value of each series, and the series of each value. */
export class TagIndex {
  readonly name: string
  readonly dictionary = new Dictionary()
  /** The code of each series, -1 for null: rows of an ingest without this tag. */
  readonly codes = new GrowableInt32()
  /** The newest series of each code, at index code + 1 (null at 0); and for each series, the previous one with the same code. */
  readonly #newest = new GrowableInt32()
  readonly #before = new GrowableInt32()

  constructor(name: string) {
    this.name = name
  }

  /** Sets the code of the next series. */
  add(code: number): void {
    while (this.#newest.length <= code + 1) this.#newest.push(none)
    this.#before.push(this.#newest.values[code + 1])
    this.#newest.values[code + 1] = this.codes.length
    this.codes.push(code)
  }

  /** The newest series with a code, -1 for none; `seriesBefore` returns the older ones. */
  newestSeries(code: number): number {
    return code + 1 < this.#newest.length ? this.#newest.values[code + 1] : none
  }

  seriesBefore(series: number): number {
    return this.#before.values[series]
  }

  /** Sorts series by their values: null first, then by code point; series with equal values keep their order. */
  async inOrder(series: Int32Array, pacer: Pacer): Promise<Int32Array> {
    const sorted = await this.dictionary.sorted(pacer)
    const codes = this.codes.values
    // The place for the next series of each code, at index code + 1. Initially the number of series.
    const places = new Int32Array(this.dictionary.strings.length + 1)
    await forEachChunk(0, series.length, pacer, (start, end) => {
      for (let place = start; place < end; place++) places[codes[series[place]] + 1]++
    })
    let next = places[0]
    places[0] = 0
    await forEachChunk(0, sorted.length, pacer, (start, end) => {
      for (let place = start; place < end; place++) {
        const count = places[sorted[place] + 1]
        places[sorted[place] + 1] = next
        next += count
      }
    })
    const ordered = new Int32Array(series.length)
    await forEachChunk(0, series.length, pacer, (start, end) => {
      for (let place = start; place < end; place++) ordered[places[codes[series[place]] + 1]++] = series[place]
    })
    return ordered
  }
}

/** Compares two series by the values of some tags: null first, then by code point. */
export function compareByTags(tags: readonly TagIndex[]): (left: number, right: number) => number {
  return (left, right) => {
    for (const { codes, dictionary } of tags) {
      const order = dictionary.compare(codes.values[left], codes.values[right])
      if (order !== 0) return order
    }
    return 0
  }
}

/** The series of an entity: each combination of its tags' values has a number. */
export class SeriesIndex {
  readonly tags: TagIndex[] = []
  #count = 0
  /** Open addressing of series + 1, 0 for a free slot; empty while there is one tag, whose code identifies the series. */
  #slots = new Int32Array(0)
  #orderedBy: readonly TagIndex[] = []
  /** Codes of the series being restored, by tag. */
  readonly #restored: Int32Array[] = []
  #ordered: Int32Array = new Int32Array(0)

  get count(): number {
    return this.#count
  }

  /** Adds a tag that was not known before. */
  addTag(name: string): TagIndex {
    const tag = this.tagOrNulls(name)
    this.tags.push(tag)
    if (this.tags.length === 2) this.#rehash(1024)
    return tag
  }

  tag(name: string): TagIndex | null {
    return this.tags.find((tag) => tag.name === name) ?? null
  }

  /** A known tag, or, for a tag that appeared in no row yet, an index that is null for all current series; the tag stays unknown. */
  tagOrNulls(name: string): TagIndex {
    const known = this.tag(name)
    if (known !== null) return known
    const tag = new TagIndex(name)
    for (let series = 0; series < this.#count; series++) tag.add(nullCode)
    return tag
  }

  /** As `tagOrNulls`, in slices; series that are added meanwhile may be missing. */
  async tagOrNullsPaced(name: string, pacer: Pacer): Promise<TagIndex> {
    const known = this.tag(name)
    if (known !== null) return known
    const tag = new TagIndex(name)
    await forEachChunk(0, this.#count, pacer, (start, end) => {
      for (let series = start; series < end; series++) tag.add(nullCode)
    })
    return tag
  }

  /** The values of a series in the order of `tags`, as they are stored to restore it. */
  valuesOf(series: number): (string | null)[] {
    return this.tags.map(({ codes, dictionary }) => {
      const code = codes.values[series]
      return code === nullCode ? null : dictionary.strings[code]
    })
  }

  /** Adds the next series from its stored values; tags that were unknown when it was stored may be missing at the end. */
  restore(values: readonly (string | null)[]): void {
    const codes = this.#restored
    while (codes.length < this.tags.length) codes.push(new Int32Array(1))
    for (let tag = 0; tag < this.tags.length; tag++) {
      const value = values[tag] ?? null
      codes[tag][0] = value === null ? nullCode : this.tags[tag].dictionary.codeFor(value)
    }
    const known = this.#count
    if (this.seriesOf(codes, 0) !== known) throw new Error(`series ${known} was written down twice`)
  }

  /** Compares two series by the values of their tags: null first, then by code point. The order of series in sealed files. */
  readonly compare = compareByTags(this.tags)

  /** All current series in the order of some tags. The array is kept for the next call, so readers must not change it. */
  async inOrderOf(tags: readonly TagIndex[], pacer: Pacer): Promise<Int32Array> {
    const isKept = tags.length === this.#orderedBy.length && tags.every((tag, index) => tag === this.#orderedBy[index])
    if (isKept && this.#ordered.length === this.#count) return this.#ordered
    let ordered = inOrder(this.#count)
    for (const tag of tags.toReversed()) ordered = await tag.inOrder(ordered, pacer)
    this.#orderedBy = tags
    this.#ordered = ordered
    return ordered
  }

  /** The series of one row, added if it is new. `codes` are the codes of each tag, by row. */
  seriesOf(codes: readonly Int32Array[], row: number): number {
    if (this.tags.length === 1) {
      const code = codes[0][row]
      const series = this.tags[0].newestSeries(code)
      return series === none ? this.#add(codes, row) : series
    }
    const mask = this.#slots.length - 1
    let slot = this.#hash(codes, row) & mask
    for (let found = this.#slots[slot]; found !== 0; found = this.#slots[slot]) {
      if (this.#holds(found - 1, codes, row)) return found - 1
      slot = (slot + 1) & mask
    }
    return this.#add(codes, row)
  }

  get bytes(): number {
    let bytes = this.#slots.byteLength + this.#ordered.byteLength
    for (const tag of this.tags) bytes += tag.dictionary.bytes + this.#count * 12
    return bytes
  }

  #add(codes: readonly Int32Array[], row: number): number {
    const series = this.#count++
    for (let tag = 0; tag < this.tags.length; tag++) this.tags[tag].add(codes[tag][row])
    if (this.tags.length > 1) {
      if (this.#count * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2)
      else this.#place(series, this.#codesBySeries())
    }
    return series
  }

  #holds(series: number, codes: readonly Int32Array[], row: number): boolean {
    for (let tag = 0; tag < codes.length; tag++) {
      if (this.tags[tag].codes.values[series] !== codes[tag][row]) return false
    }
    return true
  }

  /** Nulls do not affect the hash, so that a new tag leaves the hashes of older series unchanged. */
  #hash(codes: readonly Int32Array[], row: number): number {
    let hash = 0
    for (let tag = 0; tag < codes.length; tag++) {
      const code = codes[tag][row]
      if (code === nullCode) continue
      hash = Math.imul(hash ^ (code + 1) ^ (tag << 27), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return hash
  }

  #place(series: number, codes: readonly Int32Array[]): void {
    const mask = this.#slots.length - 1
    let slot = this.#hash(codes, series) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = series + 1
  }

  #rehash(slots: number): void {
    let length = slots
    while (length < this.#count * 2) length *= 2
    this.#slots = new Int32Array(length)
    const codes = this.#codesBySeries()
    for (let series = 0; series < this.#count; series++) this.#place(series, codes)
  }

  #codesBySeries(): Int32Array[] {
    return this.tags.map((tag) => tag.codes.values)
  }
}
