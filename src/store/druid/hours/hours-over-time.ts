import type { Range, Selection } from '../../../model/plan.ts'
import type { HourRow } from '../../hours/hour-row.ts'
import type { HoursOverTime } from '../../hours/kept-over-time.ts'
import { tooManyRead } from '../../limits.ts'
import type { DruidRun } from '../druid-run.ts'
import type { TagKey } from '../tag-keys.ts'
import type { KeptHours } from './kept-hours.ts'
import { type CountedSeries, SeriesHours } from './series-hours.ts'

/** The approximate number of metric values in hours that are in memory at once. */
const heldValues = 200_000

/** The hours of the series of a query over time. They are read for several series at a time, which is fast if the series are visited in order. */
export class HoursOfRun implements HoursOverTime {
  readonly untilMs: number
  readonly isOneSeriesPerFunction: boolean
  readonly series: readonly CountedSeries[]
  readonly #hours: SeriesHours
  readonly #places: readonly number[]
  readonly #readRows: number
  /** For each series, the group that it is read with. */
  readonly #groups: readonly (readonly CountedSeries[])[]
  #group: readonly CountedSeries[] = []
  #held = new Map<string, ReadonlyMap<TagKey, readonly HourRow[]>>()
  #read = 0

  private constructor(selection: Selection, kept: KeptHours, run: DruidRun, series: readonly CountedSeries[]) {
    this.untilMs = kept.untilMs
    this.isOneSeriesPerFunction = isOfAllTags(selection, kept)
    this.series = series
    this.#readRows = run.readRows
    this.#hours = new SeriesHours(selection, kept, run)
    this.#places = selection.metrics.map(({ name }) => this.#hours.metrics.findIndex((one) => one.name === name))
    this.#groups = groupsOf(series, heldValues / selection.metrics.length)
  }

  static async open(selection: Selection, kept: KeptHours, run: DruidRun): Promise<HoursOfRun> {
    const series = isOfAllTags(selection, kept) ? await new SeriesHours(selection, kept, run).series() : []
    return new HoursOfRun(selection, kept, run, series)
  }

  async *of(series: number, range: Range): ReturnType<HoursOverTime['of']> {
    const hours = (await this.#hoursIn(this.#groups[series]!, range)).get(this.series[series]!.key) ?? []
    for (const { hourMs, metrics } of hours)
      yield { hourMs, metrics: this.#places.map((place) => metrics[place] ?? null) }
  }

  async #hoursIn(group: readonly CountedSeries[], range: Range): Promise<ReadonlyMap<TagKey, readonly HourRow[]>> {
    if (group !== this.#group) this.#held = new Map()
    this.#group = group
    const key = `${range.fromMs} ${range.toMs}`
    const held = this.#held.get(key)
    if (held !== undefined) return held
    const found = await this.#hours.read(group, range)
    for (const hours of found.values()) this.#read += hours.length
    if (this.#read > this.#readRows) throw tooManyRead(this.#read, this.#readRows)
    this.#held.set(key, found)
    return found
  }
}

/** Whether the selection has all tags, so that each series is a separate function of time. */
const isOfAllTags = ({ tags }: Selection, kept: KeptHours): boolean =>
  kept.tags.every((name) => tags.some((tag) => tag.name === name))

/** Groups of consecutive series, each with about `hoursMax` hours in total. */
function groupsOf(series: readonly CountedSeries[], hoursMax: number): (readonly CountedSeries[])[] {
  const groups: CountedSeries[][] = []
  let hours = Number.POSITIVE_INFINITY
  return series.map((one) => {
    hours += one.rows
    if (hours > hoursMax) {
      groups.push([])
      hours = one.rows
    }
    const group = groups.at(-1)!
    group.push(one)
    return group
  })
}
