// The hours of the series of a query before a date: hours that are kept, and hours computed from rows that have none yet or arrived late.
import { isNumericField } from '../../../model/field.ts'
import type { Range, Selection } from '../../../model/plan.ts'
import { type HourRow, hourMetric, hoursTogether } from '../../hours/hour-row.ts'
import { groupBy, type RawRows, scan } from '../druid-query.ts'
import type { DruidRun } from '../druid-run.ts'
import { byTimeAndPosition, type Row } from '../items-in-order.ts'
import { allOf, intervalsOf, type NativeFilter } from '../native-query.ts'
import { rowWindows } from '../row-windows.ts'
import { items } from '../selected-items.ts'
import { tagFilter } from '../selection-filter.ts'
import { type TagKey, TagKeys } from '../tag-keys.ts'
import { type HourOfSeries, HourReader } from './hour-lines.ts'
import { hoursOfItems, type Item, type ItemFields } from './hours-of-items.ts'
import type { KeptHours } from './kept-hours.ts'

/** The approximate number of rows in memory at once. */
const windowRows = 200_000

export interface CountedSeries {
  readonly key: TagKey
  readonly tags: HourOfSeries['tags']
  /** The number of its kept hours plus that of its rows without hours. */
  readonly rows: number
}

export class SeriesHours {
  readonly metrics: ItemFields['metrics']
  readonly #selection: Selection
  readonly #kept: KeptHours
  readonly #run: DruidRun
  readonly #keys: TagKeys

  constructor(selection: Selection, kept: KeptHours, run: DruidRun) {
    this.metrics = selection.metrics.filter(isNumericField).map(hourMetric)
    this.#selection = selection
    this.#kept = kept
    this.#run = { ...run, target: kept.rows }
    this.#keys = new TagKeys(selection)
  }

  /** All series that have hours or rows. */
  async series(): Promise<readonly CountedSeries[]> {
    const { hours, rows } = this.#within({ fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY })
    const found = new Map<TagKey, CountedSeries>()
    for (const { target, range } of [
      { target: this.#kept.hours, range: hours },
      { target: this.#kept.rows, range: rows },
    ]) {
      const query = {
        ...{ virtualColumns: [], dimensions: this.#keys.dimensions, limit: null },
        intervals: intervalsOf(range.fromMs, range.toMs),
        filter: tagFilter(this.#selection),
        aggregations: [{ type: 'count', name: ':rows' }],
      }
      for await (const part of groupBy(target, query, [])) this.#count(part, found)
    }
    return [...found.values()]
  }

  /** The hours of some series that start within a range, sorted by date, each once. */
  async read(series: readonly CountedSeries[], range: Range): Promise<ReadonlyMap<TagKey, readonly HourRow[]>> {
    const among = this.#keys.among(series.map(({ key }) => key))
    const { hours, rows } = this.#within(range)
    const sources = [await this.#made(hours, among), await this.#ofRows(rows, among)]
    return new Map(
      series.map(({ key }) => [
        key,
        Array.from(hoursTogether(sources.map((source) => (source.get(key) ?? []).values()))),
      ]),
    )
  }

  #within({ fromMs, toMs }: Range): { readonly hours: Range; readonly rows: Range } {
    const { sinceMs, madeMs, untilMs } = this.#kept
    const startMs = Math.max(fromMs, sinceMs)
    return {
      hours: { fromMs: startMs, toMs: Math.min(toMs, madeMs - 1) },
      rows: { fromMs: startMs, toMs: Math.min(toMs, untilMs - 1) },
    }
  }

  #count(part: RawRows, found: Map<TagKey, CountedSeries>): void {
    const { columns } = this.#keys
    for (const row of part) {
      const key = this.#keys.at(row, 0)
      const tags = row.slice(0, columns).map((tag) => (tag === null || tag === undefined ? null : String(tag)))
      found.set(key, { key, tags, rows: (found.get(key)?.rows ?? 0) + Number(row[columns]) })
    }
  }

  async #made({ fromMs, toMs }: Range, among: NativeFilter | null): Promise<Map<TagKey, HourRow[]>> {
    const { tags } = this.#selection
    const reader = new HourReader({ tags, metrics: this.metrics })
    const filter = allOf([tagFilter(this.#selection), among])
    const query = { intervals: intervalsOf(fromMs, toMs), filter, columns: reader.columns, limit: null }
    const found = new Map<TagKey, HourRow[]>()
    for await (const rows of scan(this.#kept.hours, query, reader.longs)) {
      for (const row of rows) this.#add(found, reader.read(row))
      if (this.#run.pacer.spend(rows.length * reader.columns.length)) await this.#run.pacer.rest()
    }
    for (const hours of found.values()) hours.sort((left, right) => left.hourMs - right.hourMs)
    return found
  }

  async #ofRows(range: Range, among: NativeFilter | null): Promise<Map<TagKey, HourRow[]>> {
    const { tags, quality } = this.#selection
    const fields = { tags, quality: quality?.field ?? null, metrics: this.metrics }
    const found = new Map<TagKey, HourRow[]>()
    for await (const hour of hoursOfItems(this.#items(range, among), fields)) this.#add(found, hour)
    return found
  }

  async *#items(range: Range, among: NativeFilter | null): AsyncGenerator<readonly Item[]> {
    if (range.fromMs > range.toMs) return
    const { quality, metrics, ...others } = this.#selection
    const numeric = metrics.filter(isNumericField)
    const selection = { ...others, metrics: numeric, fields: quality === undefined ? [] : [quality.field] }
    const filter = allOf([tagFilter(selection), among])
    for (const window of await rowWindows(this.#kept.rows, range, filter, windowRows)) {
      const found: Row[] = []
      for await (const rows of items({ selection, ranges: [window], filter: among, limit: null }, this.#run))
        for (const row of rows) found.push(row)
      yield await byTimeAndPosition(found, this.#run)
    }
  }

  #add(found: Map<TagKey, HourRow[]>, { tags, hour }: HourOfSeries): void {
    const key = this.#keys.at(tags, 0)
    const hours = found.get(key)
    if (hours === undefined) found.set(key, [hour])
    else hours.push(hour)
  }
}
