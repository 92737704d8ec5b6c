import type { DeletedRows } from '../../../model/rows-file.ts'
import type { SealedFile, SealedFileInfo, SealedPages, StoredFile } from '../reading/sealed-source.ts'
import type { EntityRegistry } from '../registry/entity-registry.ts'
import { DamagedFileError } from '../sealed/damaged-file.ts'
import { type DeletionVector, type HiddenRows, hiddenBy } from './deletion-vector.ts'
import { type HourSpans, hiddenHours } from './hidden-hours.ts'
import { countRows, without } from './row-ranges.ts'
import { VisibleHours } from './visible-hours.ts'
import { VisiblePages, type VisiblePlaces } from './visible-pages.ts'

/** The most series of a file whose visible hours are kept: with more, a query of all series would evict the indexes of other files. */
const seenSeriesMax = 1024

interface SeenEntry {
  readonly hours: VisibleHours
  readonly evict: () => void
}

/** A sealed file without its deleted rows and values. */
export class VisibleFile implements SealedFile {
  readonly base: StoredFile
  readonly vectors: readonly DeletionVector[]
  readonly #registry: EntityRegistry
  #visible: VisiblePlaces | null = null
  /** By the place of a series; filled on first use. */
  readonly #hours = new Map<number, HourSpans>()
  /** By place and columns. The index cache evicts them. */
  readonly #visibleHours = new Map<string, SeenEntry>()
  #info: SealedFileInfo | null = null
  #deletedRows: DeletedRows | null = null

  constructor(base: StoredFile, vectors: readonly DeletionVector[], registry: EntityRegistry) {
    this.base = base
    this.vectors = vectors
    this.#registry = registry
  }

  /** Falls back to the info of the whole file if that cannot be read: opening the file reports the damage. */
  get info(): SealedFileInfo {
    if (this.#info !== null) return this.#info
    try {
      this.#info = { ...this.base.info, ...boundsOf(this.base.open([], 'cached'), this.#places()) }
      return this.#info
    } catch (error) {
      if (error instanceof DamagedFileError) return this.base.info
      throw error
    }
  }

  get digits(): ReadonlyMap<string, number | null> {
    return this.base.digits
  }

  /** The hidden rows and values, by row numbers in the file. */
  get deletedRows(): DeletedRows {
    this.#deletedRows ??= deletedRowsOf(this.base.open([], 'cached'), this.#places().hidden)
    return this.#deletedRows
  }

  open(columns: readonly number[], pass: 'cached' | 'once'): SealedPages {
    const { columns: known } = this.#registry
    const columnsOf = (metric: string): readonly number[] => {
      if (this.base.info.kind === 'hours')
        return known.all.filter(({ name }) => name.startsWith(`${metric}@`)).map((part) => part.index)
      const index = known.column(metric)?.index
      if (index === undefined) return []
      // A deleted value must not count as a pushed null.
      const origins = known.replaced?.find((replaced) => replaced.index === index)
      return origins === undefined ? [index] : [index, origins.originIndex]
    }
    return new VisiblePages(this.base.open(columns, pass), this.#places(), columns, columnsOf)
  }

  #places(): VisiblePlaces {
    this.#visible ??= visiblePlaces(this.base.open([], 'cached'), hiddenBy(this.vectors), {
      hiddenHours: this.#hiddenHours,
      visibleHours: this.#hoursAsSeen,
    })
    return this.#visible
  }

  readonly #hiddenHours = (place: number): HourSpans => {
    const known = this.#hours.get(place)
    if (known !== undefined) return known
    const spans = hiddenHours(this.base.open([], 'cached'), place, this.#places().hidden.get(place)!)
    this.#hours.set(place, spans)
    return spans
  }

  readonly #hoursAsSeen = (place: number, hours: number, columns: readonly number[]): VisibleHours => {
    const key = `${place} ${columns.join()}`
    const kept = this.#visibleHours.get(key) ?? this.#keepHours(key, new VisibleHours(hours, this.#numbersOf(columns)))
    this.base.worked.use(kept, kept.hours.bytes)
    return kept.hours
  }

  #keepHours(key: string, hours: VisibleHours): SeenEntry {
    const [oldest] = this.#visibleHours.values()
    if (oldest !== undefined && this.#visibleHours.size >= seenSeriesMax) {
      this.base.worked.forget(oldest)
      oldest.evict()
    }
    const kept = { hours, evict: () => this.#visibleHours.delete(key) }
    this.#visibleHours.set(key, kept)
    return kept
  }

  #numbersOf(columns: readonly number[]): readonly number[] {
    const { all } = this.#registry.columns
    return columns.filter((index) => all[index]!.type === 'double' || all[index]!.type === 'long')
  }
}

function deletedRowsOf(pages: SealedPages, hidden: HiddenRows): DeletedRows {
  const rows: number[] = []
  const metrics = new Map<string, number[]>()
  let start = 0
  for (let place = 0; place < pages.length; place++) {
    const ofSeries = hidden.get(place)
    for (const row of ofSeries?.rows ?? []) rows.push(start + row)
    for (const [metric, ranges] of ofSeries?.metrics ?? []) {
      const known = metrics.get(metric) ?? []
      metrics.set(metric, known)
      for (const row of ranges) known.push(start + row)
    }
    start += pages.rows(place)
  }
  return { rows, metrics }
}

/** The file as it is on disk. */
export const baseOf = (file: SealedFile): SealedFile => (file instanceof VisibleFile ? file.base : file)

function visiblePlaces(
  pages: SealedPages,
  hidden: HiddenRows,
  hours: Pick<VisiblePlaces, 'hiddenHours' | 'visibleHours'>,
): VisiblePlaces {
  const places: number[] = []
  const ends = new Map<number, { firstMs: number; lastMs: number }>()
  for (let place = 0; place < pages.length; place++) {
    const ranges = hidden.get(place)?.rows
    if (ranges !== undefined && ranges.length > 0) {
      const seen = [...without(ranges, 0, pages.rows(place))]
      if (seen.length === 0) continue
      ends.set(place, { firstMs: dateOf(pages, place, seen[0]![0]), lastMs: dateOf(pages, place, seen.at(-1)![1] - 1) })
    }
    places.push(place)
  }
  return { hidden, places: Uint32Array.from(places), ends, ...hours }
}

function dateOf(pages: SealedPages, place: number, row: number): number {
  for (const { chunk, start } of pages.rowsAt(place, row, row + 1)) return chunk.times[start]!
  throw new Error(`series ${place} of a file has no row ${row}`)
}

/** The number of visible rows and their date range; without the range if no row is visible. */
function boundsOf(pages: SealedPages, { hidden, places, ends }: VisiblePlaces): Partial<SealedFileInfo> {
  let rows = 0
  let firstMs = Number.POSITIVE_INFINITY
  let lastMs = Number.NEGATIVE_INFINITY
  for (const place of places) {
    rows += pages.rows(place) - countRows(hidden.get(place)?.rows ?? new Uint32Array(0))
    firstMs = Math.min(firstMs, ends.get(place)?.firstMs ?? pages.firstMs(place))
    lastMs = Math.max(lastMs, ends.get(place)?.lastMs ?? pages.lastMs(place))
  }
  return rows === 0 ? { rows } : { rows, firstMs, lastMs }
}
