// Where newer rows replace older ones, rows of one date in several tables and files are one item. Only dates that several of them may share
// have to be read.
import type { Pacer } from '../../../lib/pacer.ts'
import type { Range } from '../../../model/plan.ts'
import type { EntityStatistics } from '../../series-store.ts'
import type { TableView } from '../head/table-view.ts'
import type { EntitySnapshot } from '../run/plan-run.ts'
import { countSlices, type SinceCounter } from './count-since.ts'
import { MergedSource } from './merged-source.ts'
import { OpenFile } from './open-file.ts'
import type { SealedFile } from './sealed-source.ts'
import type { SeriesSource } from './series-source.ts'
import { sharedDates } from './shared-dates.ts'

/** One table or file. Each has at most one row per series and date. */
interface Part {
  readonly firstMs: number
  readonly lastMs: number
  readonly tables: readonly TableView[]
  readonly files: readonly OpenFile[]
  /** Null when it has no row of the series. */
  span(series: number): Range | null
  series(): Iterable<number>
}

/** Counts the items of entities whose newer rows replace older ones. */
export class ItemCounter {
  readonly #sinceCounter: SinceCounter
  /** The number of rows that the files have in common, by an entity's list of files. A change of the files makes a new list. */
  readonly #commonOfFiles = new WeakMap<readonly SealedFile[], { readonly sinceMs: number; readonly rows: number }>()

  constructor(sinceCounter: SinceCounter) {
    this.#sinceCounter = sinceCounter
  }

  async count(snapshot: EntitySnapshot, sinceMs: number, pacer: Pacer): Promise<EntityStatistics> {
    const counted = await this.#sinceCounter.count(snapshot, sinceMs, pacer)
    const files = snapshot.files.map(filePart)
    const known = this.#commonOfFiles.get(snapshot.files)
    let common = known?.sinceMs === sinceMs ? known.rows : null
    if (common === null) {
      common = await commonRows([], files, sinceMs, pacer)
      this.#commonOfFiles.set(snapshot.files, { sinceMs, rows: common })
    }
    common += await commonRows(files, snapshot.tables.map(tablePart), sinceMs, pacer)
    return { ...counted, rows: counted.rows - common }
  }
}

function tablePart({ table, view }: EntitySnapshot['tables'][number]): Part {
  return {
    firstMs: table.firstMs,
    lastMs: table.lastMs,
    tables: [view],
    files: [],
    span: (series) => {
      const fromMs = view.firstMs(series)
      return Number.isNaN(fromMs) ? null : { fromMs, toMs: view.lastMs(series) }
    },
    series: () => table.series.values.slice(0, table.series.length),
  }
}

function filePart(sealed: SealedFile): Part {
  const file = new OpenFile(sealed, [], 'cached')
  return {
    firstMs: sealed.info.firstMs,
    lastMs: sealed.info.lastMs,
    tables: [],
    files: [file],
    span: (series) => {
      const place = file.reader.find(series)
      return place === -1 ? null : { fromMs: file.reader.firstMs(place), toMs: file.reader.lastMs(place) }
    },
    *series() {
      for (let place = 0; place < file.reader.length; place++) yield file.reader.seriesAt(place)
    },
  }
}

/** The number of rows of `added`, taken one part after another, whose dates already occur in earlier parts. */
async function commonRows(
  before: readonly Part[],
  added: readonly Part[],
  sinceMs: number,
  pacer: Pacer,
): Promise<number> {
  let rows = 0
  const parts = [...before]
  for (const part of added) {
    const near = parts.filter(({ firstMs, lastMs }) => {
      return firstMs <= part.lastMs && lastMs >= part.firstMs && Math.min(lastMs, part.lastMs) >= sinceMs
    })
    parts.push(part)
    if (near.length === 0) continue
    const sources: readonly SeriesSource[] = [[part], near, [part, ...near]].map((some) => {
      return new MergedSource(
        some.flatMap(({ tables }) => tables),
        some.flatMap(({ files }) => files),
        () => [],
        [],
      )
    })
    for (const series of part.series()) {
      for (const range of sharedWith(part, near, series, sinceMs)) rows += await inCommon(sources, series, range, pacer)
      if (pacer.spend(4 * near.length)) await pacer.rest()
    }
  }
  return rows
}

/** The dates of a series at which both the part and one of the others may have rows. */
function sharedWith(part: Part, others: readonly Part[], series: number, sinceMs: number): Range[] {
  const own = part.span(series)
  if (own === null) return []
  const fromMs = Math.max(own.fromMs, sinceMs)
  const spans = others.flatMap((other) => {
    const span = other.span(series)
    const shared = span && { fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, own.toMs) }
    return shared === null || shared.fromMs > shared.toMs ? [] : [shared]
  })
  return spans.length === 0 ? [] : sharedDates([{ fromMs, toMs: own.toMs }, ...spans])
}

/** The number of rows that the first two sources have in common; the third source is both together. */
async function inCommon(
  [part, others, both]: readonly SeriesSource[],
  series: number,
  { fromMs, toMs }: Range,
  pacer: Pacer,
): Promise<number> {
  const prepared = both.prepare(series, pacer)
  if (prepared !== null) await prepared
  const count = async (source: SeriesSource): Promise<number> =>
    (await countSlices(source.run(series, fromMs, toMs), pacer)).rows
  return (await count(part)) + (await count(others)) - (await count(both))
}
