import { crc32 } from 'node:zlib'
import type { Pacer } from '../../../lib/pacer.ts'
import { sortInSlices } from '../../../lib/sort-in-slices.ts'
import type { Chunk } from '../head/chunk.ts'
import { GrowableFloat64, GrowableInt32 } from '../head/growable.ts'
import { type ColumnPages, codecIds, encodingIds, type RowGroupPages } from '../parquet/column-pages.ts'
import type { EntityColumn } from '../registry/entity-columns.ts'
import { encodeColumns } from './column-table.ts'
import { CommonValuesBuilder } from './common-values.ts'
import { HourSumsBuilder, type HourSumsOptions, summedColumns } from './hour-sums.ts'
import { chunkRecordBytes, encodeIndex, type FileColumn, type IndexSummary, type Section } from './index-layout.ts'
import { joinArrays, used } from './section-writer.ts'
import { TailsBuilder } from './tails.ts'

export interface IndexOptions extends HourSumsOptions {
  /** A file with fewer rows per series on average stores no tails. */
  readonly tailRowsMin: number
}

/** The bounds of the rows, for a file's manifest entry and the header of its index. */
export interface RowBounds {
  firstMs: number
  lastMs: number
  firstPosition: number
  lastPosition: number
}

interface WrittenGroup {
  readonly pages: RowGroupPages
  /** By column: whether all its values are null. */
  readonly isEmpty: readonly boolean[]
}

type FileSummary = Pick<IndexSummary, 'entityId' | 'day' | 'footerChecksum' | 'footerOffset' | 'parquetBytes'>

/** Builds the index of a file that is being written. */
export class IndexBuilder {
  readonly bounds: RowBounds = {
    firstMs: Number.POSITIVE_INFINITY,
    lastMs: Number.NEGATIVE_INFINITY,
    firstPosition: Number.POSITIVE_INFINITY,
    lastPosition: Number.NEGATIVE_INFINITY,
  }
  rows = 0
  readonly #columns: readonly FileColumn[]
  readonly #tailRowsMin: number
  readonly #hours: HourSumsBuilder
  readonly #tails: TailsBuilder
  readonly #common: CommonValuesBuilder
  readonly #numbers = new GrowableInt32()
  readonly #rowEnds = new GrowableInt32()
  readonly #firstMs = new GrowableFloat64()
  readonly #lastMs = new GrowableFloat64()
  readonly #pageFirstMs = new GrowableFloat64()
  readonly #pageLastMs = new GrowableFloat64()
  readonly #pageEnds = new GrowableInt32()
  readonly #groups: WrittenGroup[] = []

  /** `known` are the entity's columns, whose indices chunks use. */
  constructor(columns: readonly FileColumn[], known: readonly EntityColumn[], options: IndexOptions) {
    this.#columns = columns
    this.#tailRowsMin = options.tailRowsMin
    const indexOf = new Map(known.map(({ name, index }) => [name, index]))
    const values = columns.flatMap(({ name, type, role }, place) => {
      const index = role === 'value' ? indexOf.get(name) : undefined
      return index === undefined ? [] : [{ index, place, type }]
    })
    this.#hours = new HourSumsBuilder(summedColumns(values), options)
    this.#tails = new TailsBuilder(values)
    this.#common = new CommonValuesBuilder(values)
  }

  beginSeries(number: number, firstMs: number): void {
    this.#numbers.push(number)
    this.#firstMs.push(firstMs)
  }

  /** Adds the next rows of the current series. */
  add(chunk: Chunk, start: number, end: number): void {
    const { bounds } = this
    const { positions, times } = chunk
    for (let row = start; row < end; row++) {
      const position = positions[row]
      if (position < bounds.firstPosition) bounds.firstPosition = position
      if (position > bounds.lastPosition) bounds.lastPosition = position
    }
    if (times[start] < bounds.firstMs) bounds.firstMs = times[start]
    if (times[end - 1] > bounds.lastMs) bounds.lastMs = times[end - 1]
    this.rows += end - start
    this.#hours.add(chunk, start, end)
    this.#common.add(chunk, start, end)
  }

  /** Completes the current series; `row` is its newest row. */
  endSeries(chunk: Chunk, row: number): void {
    this.#lastMs.push(chunk.times[row])
    this.#rowEnds.push(this.rows)
    this.#hours.endSeries()
    this.#tails.add(chunk, row)
    this.#common.endSeries()
  }

  addRowGroup(pages: RowGroupPages, times: Float64Array, isEmpty: readonly boolean[]): void {
    const before = this.#pageEnds.length === 0 ? 0 : this.#pageEnds.values[this.#pageEnds.length - 1]
    let start = 0
    for (const end of pages.pageEnds) {
      this.#pageFirstMs.push(times[start])
      this.#pageLastMs.push(times[end - 1])
      this.#pageEnds.push(before + end)
      start = end
    }
    this.#groups.push({ pages, isEmpty })
  }

  /** Encodes the index file, in parts. */
  async encode(file: FileSummary, pacer: Pacer): Promise<Uint8Array[]> {
    const summary: IndexSummary = {
      ...file,
      ...this.bounds,
      rows: this.rows,
      series: this.#numbers.length,
      pages: this.#pageEnds.length,
      rowGroups: this.#groups.length,
      columns: this.#columns.length,
    }
    const sections: Section[] = []
    const checksums = new Map<Uint8Array, number>()
    for (const section of this.#sections(await this.#seriesSection(pacer))) {
      const { bytes } = section
      sections.push(section)
      checksums.set(bytes, crc32(bytes))
      if (pacer.spend(bytes.length)) await pacer.rest()
    }
    return encodeIndex(summary, sections, (bytes) => checksums.get(bytes) ?? crc32(bytes))
  }

  /** Each section is packed when it is requested. */
  *#sections(series: Uint8Array): Generator<Section> {
    yield { kind: 'columns', column: 0, bytes: encodeColumns(this.#columns) }
    yield { kind: 'series', column: 0, bytes: series }
    yield { kind: 'pages', column: 0, bytes: this.#pagesSection() }
    yield { kind: 'chunks', column: 0, bytes: this.#chunksSection() }
    yield { kind: 'places', column: 0, bytes: this.#placesSection() }
    yield* this.#hours.sections()
    if (this.rows < this.#numbers.length * this.#tailRowsMin) return
    yield* this.#common.sections()
    yield* this.#tails.sections()
  }

  async #seriesSection(pacer: Pacer): Promise<Uint8Array> {
    const numbers = used(this.#numbers)
    const places = new Int32Array(numbers.length)
    for (let place = 0; place < places.length; place++) places[place] = place
    const byNumber = await sortInSlices(places, 0, (left, right) => numbers[left] - numbers[right], pacer)
    return joinArrays([used(this.#firstMs), used(this.#lastMs), numbers, used(this.#rowEnds), byNumber])
  }

  #pagesSection(): Uint8Array {
    let pages = 0
    const groupEnds = Uint32Array.from(this.#groups, ({ pages: group }) => {
      pages += group.pageEnds.length
      return pages
    })
    return joinArrays([used(this.#pageFirstMs), used(this.#pageLastMs), used(this.#pageEnds), groupEnds])
  }

  #chunksSection(): Uint8Array {
    const records = Buffer.alloc(this.#groups.length * this.#columns.length * chunkRecordBytes)
    let at = 0
    for (const { pages, isEmpty } of this.#groups) {
      for (const [column, { offset, dictionary, encoding, codec }] of pages.columns.entries()) {
        records.writeDoubleLE(offset, at)
        records.writeDoubleLE(dictionary?.offset ?? 0, at + 8)
        records.writeUInt32LE(dictionary?.bytes ?? 0, at + 16)
        records.writeUInt32LE(dictionary?.checksum ?? 0, at + 20)
        records[at + 24] = encodingIds[encoding]
        records[at + 25] = codecIds[codec]
        records[at + 26] = isEmpty[column] ? 1 : 0
        at += chunkRecordBytes
      }
    }
    return records
  }

  #placesSection(): Uint8Array {
    const byColumn = (of: (pages: ColumnPages) => Uint32Array): Uint32Array => {
      const all = new Uint32Array(this.#columns.length * this.#pageEnds.length)
      let at = 0
      for (const column of this.#columns.keys()) {
        for (const { pages } of this.#groups) {
          const some = of(pages.columns[column])
          all.set(some, at)
          at += some.length
        }
      }
      return all
    }
    return joinArrays([byColumn(({ ends }) => ends), byColumn(({ checksums }) => checksums)])
  }
}
