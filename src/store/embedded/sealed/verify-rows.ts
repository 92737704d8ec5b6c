import type { Pacer } from '../../../lib/pacer.ts'
import { type ColumnVector, columnLength, isNullAt, type Value, valueAt } from '../../../model/column.ts'
import type { PageDictionary } from '../parquet/decode-page.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { LoadedIndex } from './loaded-index.ts'
import { decodeColumn, type ReadableFile } from './page-decoder.ts'
import { VerifiedHours } from './verify-hours.ts'

interface Page {
  readonly start: number
  readonly end: number
  /** By place in the file. */
  readonly columns: readonly ColumnVector[]
}

const differs = Symbol('differs')

/** Reads all rows of a file, in order, and compares them with the index. */
export class VerifiedRows {
  readonly #file: ReadableFile
  readonly #loaded: LoadedIndex
  readonly #registry: EntityRegistry
  readonly #fault: (what: string) => void
  readonly #hours: VerifiedHours
  /** By place of a column: the value of the series' rows so far; undefined before the first row, `differs` after a second value. */
  readonly #common: (Value | undefined | typeof differs)[] = []
  readonly #dictionaries = new Map<number, PageDictionary>()
  #group = -1
  #firstMs = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY
  #firstPosition = Number.POSITIVE_INFINITY
  #lastPosition = Number.NEGATIVE_INFINITY
  #seriesFirstMs = Number.NaN
  /** The previous row of the same series. */
  #beforeMs = Number.NEGATIVE_INFINITY
  #beforePosition = Number.NEGATIVE_INFINITY

  constructor(file: ReadableFile, registry: EntityRegistry, fault: (what: string) => void) {
    this.#file = file
    this.#registry = registry
    this.#fault = (what) => fault(`${file.path}: ${what}`)
    this.#loaded = new LoadedIndex(file.index, { grown: () => {}, evicted: () => {} })
    this.#hours = new VerifiedHours(this.#loaded, this.#fault)
  }

  async verify(pacer: Pacer): Promise<void> {
    const { index } = this.#file
    this.#verifyPlaces()
    let place = 0
    for (let number = 0; number < index.summary.pages; number++) {
      const page = this.#readPage(number)
      if (page === null) return
      for (let row = page.start; row < page.end; ) {
        const end = Math.min(page.end, index.rowEnds[place])
        this.#verifyRows(place, page, row - page.start, end - page.start)
        if (end === index.rowEnds[place]) this.#endSeries(place++, page, end - page.start - 1)
        row = end
      }
      if (pacer.spend((page.end - page.start) * page.columns.length)) await pacer.rest()
    }
    this.#verifyBounds()
    this.#hours.endFile()
  }

  /** Dictionaries and pages must be contiguous, from the first bytes of the file to the footer. */
  #verifyPlaces(): void {
    const { summary, columns } = this.#file.index
    let offset = 4
    for (let group = 0; group < summary.rowGroups; group++) {
      for (const place of columns.keys()) {
        const { dictionary, offset: pagesAt, ends } = this.#file.index.columnPages(group, place)
        if (dictionary !== null && dictionary.offset === offset) offset += dictionary.bytes
        if (pagesAt !== offset) {
          this.#fault('its pages are not where the index has them')
          return
        }
        offset += ends.at(-1) ?? 0
      }
    }
    if (offset !== summary.footerOffset) this.#fault('its footer is not where the index has it')
  }

  /** Null when one of its columns is damaged. */
  #readPage(page: number): Page | null {
    const { index } = this.#file
    const group = index.groupOf(page)
    if (group !== this.#group) this.#dictionaries.clear()
    this.#group = group
    const start = page === 0 ? 0 : index.pageEnds[page - 1]
    const end = index.pageEnds[page]
    const columns = Array.from(index.columns.keys(), (place) => this.#readColumn(group, page, place))
    for (const [place, column] of columns.entries()) {
      if (columnLength(column) !== end - start) this.#fault(`page ${page} does not have the rows that the index has`)
      else if (index.isEmpty(group, place) && !isOfNulls(column))
        this.#fault(`page ${page} has values, not nulls alone`)
      else continue
      return null
    }
    this.#expect(page, 'first date', index.pageFirstMs[page], valueAt(columns[0], 0))
    this.#expect(page, 'last date', index.pageLastMs[page], valueAt(columns[0], end - start - 1))
    return { start, end, columns }
  }

  #readColumn(group: number, page: number, place: number): ColumnVector {
    return decodeColumn(this.#file, group, page, place, (_, column, load) => {
      const known = this.#dictionaries.get(column)
      const dictionary = known ?? load()
      this.#dictionaries.set(column, dictionary)
      return dictionary
    }).column
  }

  #expect(page: number, what: string, told: number, found: Value): void {
    if (told !== found) this.#fault(`page ${page}: ${what} is ${String(found)}, where the index has ${told}`)
  }

  #verifyRows(place: number, { columns }: Page, start: number, end: number): void {
    const [times] = columns
    const positions = columns[columns.length - 1]
    if (times.type !== 'timestamp' || positions.type !== 'long') return
    if (this.#beforeMs === Number.NEGATIVE_INFINITY) this.#seriesFirstMs = times.values[start]
    for (let row = start; row < end; row++) {
      const ms = times.values[row]
      const position = positions.values[row]
      const isInOrder = ms > this.#beforeMs || (ms === this.#beforeMs && position > this.#beforePosition)
      if (!isInOrder) this.#fault(`rows of the series at place ${place} are not ordered by date and position`)
      this.#beforeMs = ms
      this.#beforePosition = position
      if (ms < this.#firstMs) this.#firstMs = ms
      if (ms > this.#lastMs) this.#lastMs = ms
      if (position < this.#firstPosition) this.#firstPosition = position
      if (position > this.#lastPosition) this.#lastPosition = position
    }
    this.#verifyTags(place, columns, start, end)
    this.#findCommon(columns, start, end)
    this.#hours.add(place, columns, start, end)
  }

  #verifyTags(place: number, columns: readonly ColumnVector[], start: number, end: number): void {
    const { index } = this.#file
    const series = index.numbers[place]
    for (const [column, { name, role }] of index.columns.entries()) {
      if (role !== 'tag') continue
      const tag = this.#registry.series.tag(name)
      const code = tag === null || series >= tag.codes.length ? -1 : tag.codes.values[series]
      const expected = tag === null || code === -1 ? null : tag.dictionary.strings[code]
      for (let row = start; row < end; row++) {
        if (valueAt(columns[column], row) === expected) continue
        this.#fault(`series ${series} does not have the tags that the registry has`)
        return
      }
    }
  }

  #endSeries(place: number, { columns }: Page, row: number): void {
    const { index } = this.#file
    if (index.seriesFirstMs[place] !== this.#seriesFirstMs || index.seriesLastMs[place] !== this.#beforeMs)
      this.#fault(`the index has other dates of place ${place}`)
    if (place > 0 && this.#registry.series.compare(index.numbers[place - 1], index.numbers[place]) >= 0)
      this.#fault(`place ${place} is not in the order of tags`)
    this.#verifyTail(place, columns, row)
    this.#verifyCommon(place)
    this.#hours.end(place)
    this.#beforeMs = Number.NEGATIVE_INFINITY
    this.#beforePosition = Number.NEGATIVE_INFINITY
  }

  #verifyTail(place: number, columns: readonly ColumnVector[], row: number): void {
    const { tails, index } = this.#loaded
    if (tails === null) return
    const isSame = tails.times[place] === this.#beforeMs && tails.positions[place] === this.#beforePosition
    const differs = [...index.columns.entries()].some(([column, { role }]) => {
      if (role !== 'value') return false
      const kept = this.#loaded.columnTails(column)
      const tail = kept === null ? null : valueAt(kept, place)
      return tail !== valueAt(columns[column], row)
    })
    if (!isSame || differs) this.#fault(`the index has another newest row of place ${place}`)
  }

  #findCommon(columns: readonly ColumnVector[], start: number, end: number): void {
    for (const [column, { role }] of this.#file.index.columns.entries()) {
      if (role !== 'value' || this.#loaded.commonValues(column) === null) continue
      for (let row = start; row < end; row++) {
        const value = valueAt(columns[column], row)
        const common = this.#common[column]
        if (common === undefined) this.#common[column] = value
        else if (common !== value) this.#common[column] = differs
      }
    }
  }

  #verifyCommon(place: number): void {
    for (const [column, common] of this.#common.entries()) {
      if (common === undefined) continue
      const isRecorded = this.#loaded.commonValues(column)?.[place] === 1
      if (isRecorded !== (common !== differs)) this.#fault(`the index has other common values of place ${place}`)
    }
    this.#common.length = 0
  }

  #verifyBounds(): void {
    const { summary } = this.#file.index
    const isSame =
      this.#firstMs === summary.firstMs &&
      this.#lastMs === summary.lastMs &&
      this.#firstPosition === summary.firstPosition &&
      this.#lastPosition === summary.lastPosition
    if (!isSame) this.#fault('its rows have other dates or positions than the index has')
  }
}

function isOfNulls(column: ColumnVector): boolean {
  for (let row = 0; row < columnLength(column); row++) if (!isNullAt(column, row)) return false
  return true
}
