// Turns the rows of a SELECT into series, part by part: fills and computes them, and cuts them to the requested page.
import type { Pacer } from '../lib/pacer.ts'
import { type Row, textOf } from './answer-rows.ts'
import type { Cell, Evaluate, Leaf, Point } from './columns.ts'
import { filledParts } from './fill.ts'
import type { SelectPlan } from './plan-select.ts'
import { computedWindows } from './point-windows.ts'

export interface SeriesHead {
  readonly name: string | null
  readonly tags: readonly (readonly [name: string, value: string])[]
  readonly columns: readonly string[]
}

/** Parts with the same `head` object belong to one series. Times are milliseconds, or as a bigint nanoseconds: the start of the range. */
export interface SeriesPart {
  readonly head: SeriesHead
  readonly rows: readonly (readonly Cell[])[]
  /** One for each row; null where rows have no time. */
  readonly times: readonly (number | bigint)[] | null
}

export interface Working {
  /** The most windows, counted once for each column. */
  readonly bucketsMax: number
  readonly nowMs: number
  readonly pacer: Pacer
}

/** Pacer units for each row read. */
export const unitsPerRow = 4

/** Throws Problem `too_many_buckets`. */
export async function* seriesOf(
  plan: SelectPlan,
  rows: AsyncIterable<readonly Row[]>,
  working: Working,
): AsyncGenerator<SeriesPart> {
  const { pacer } = working
  const writer = new SeriesWriter(plan, working)
  const atOnce = pointsAtOnce(plan)
  for await (const chunk of rows) {
    for (let begin = 0; begin < chunk.length; begin += atOnce) {
      const some = chunk.slice(begin, begin + atOnce)
      for (const row of some) {
        if (writer.isNext(row)) {
          yield* writer.end()
          writer.begin(row)
        }
        writer.add(row)
      }
      yield* writer.flush()
      if (pacer.spend(some.length * unitsPerRow)) await pacer.rest()
    }
  }
  yield* writer.end()
}

/** The steps of a series that are computed without a pause. */
const stepsAtOnce = 16_384

const pointsAtOnce = ({ steps }: SelectPlan): number => Math.ceil(stepsAtOnce / steps)

class SeriesWriter {
  readonly #plan: SelectPlan
  readonly #working: Working
  readonly #keys: number
  /** Whether a series is computed only after all its rows are read. */
  readonly #isGathered: boolean
  readonly #isFilled: boolean
  #key: string | null = null
  #series = 0
  #windows = 0
  #current: OpenSeries | null = null
  #points: Point[] = []

  constructor(plan: SelectPlan, working: Working) {
    this.#plan = plan
    this.#working = working
    this.#keys = (plan.measurement === null ? 1 : 0) + plan.keys.filter(({ isRead }) => isRead).length
    // As in InfluxDB, integrals are not filled.
    this.#isFilled =
      plan.windows !== null && plan.fill !== 'none' && plan.leaves.every(({ call }) => call !== 'integral')
    this.#isGathered = plan.ofPoints || this.#isFilled
  }

  isNext(row: Row): boolean {
    return this.#keyOf(row) !== this.#key
  }

  /** Starts the series of a row. */
  begin(row: Row): void {
    this.#key = this.#keyOf(row)
    this.#current = new OpenSeries(this.#plan, row)
  }

  add(row: Row): void {
    this.#points.push(this.#pointOf(row))
  }

  /** Yields the points that need no further rows. */
  async *flush(): AsyncGenerator<SeriesPart> {
    if (!this.#isGathered) yield* this.end()
  }

  async *end(): AsyncGenerator<SeriesPart> {
    const points = this.#points
    this.#points = []
    if (this.#current === null) return
    for await (const some of this.#isGathered ? this.#workedOut(points) : [points]) {
      const part = this.#partOf(some)
      if (part !== null) yield part
      const { pacer } = this.#working
      if (pacer.spend(some.length * this.#plan.steps)) await pacer.rest()
    }
  }

  #keyOf(row: Row): string {
    return row.slice(0, this.#keys).join()
  }

  #pointOf(row: Row): Point {
    const { hasTime, leaves } = this.#plan
    const at = this.#keys + (hasTime ? 1 : 0)
    const ms = hasTime ? Date.parse(row[this.#keys]!.slice(1, -1)) : 0
    return { ms, cells: leaves.map((leaf, index) => cellOf(row[at + index]!, leaf)) }
  }

  async *#workedOut(points: readonly Point[]): AsyncGenerator<readonly Point[]> {
    const { bucketsMax, nowMs, pacer } = this.#working
    const made = this.#plan.ofPoints ? await computedWindows(this.#plan, points, pacer) : points
    const atOnce = pointsAtOnce(this.#plan)
    if (this.#isFilled) {
      const filling = { bucketsMax, windowsBefore: this.#windows, atOnce, nowMs, pacer }
      for await (const some of filledParts(this.#plan, made, filling)) {
        this.#windows += some.length
        yield some
      }
    } else for (let begin = 0; begin < made.length; begin += atOnce) yield made.slice(begin, begin + atOnce)
  }

  #partOf(points: readonly Point[]): SeriesPart | null {
    const { seriesLimit, seriesOffset } = this.#plan.page
    const part = this.#current!.part(points)
    if (part === null) return null
    const place = this.#current!.place ?? this.#series++
    this.#current!.place = place
    return place >= seriesOffset && (seriesLimit === null || place < seriesOffset + seriesLimit) ? part : null
  }
}

function cellOf(text: string, { call, field }: Leaf): Cell {
  if (text === 'null') return undefined
  // A count of 0 is not a point.
  if (text === '0' && (call === 'count' || call === 'count_distinct')) return undefined
  if (field !== null && field.type === 'boolean' && (call === null || call === 'first' || call === 'last'))
    return text === '1' ? 'true' : 'false'
  // As in InfluxDB, an empty tag is a missing one.
  return text === '""' && field !== null && field.role !== 'metric' ? undefined : wholeText(text)
}

/** Writes a whole double without its fraction, as InfluxDB's JSON does. */
const wholeText = (text: string): string => (text.endsWith('.0') ? text.slice(0, -2) : text)

class OpenSeries {
  /** Position among the series that have rows; undefined before its first row. */
  place: number | undefined
  readonly #plan: SelectPlan
  readonly #head: SeriesHead
  readonly #evaluates: readonly Evaluate[]
  /** The time of all points; null where each has its own. */
  readonly #time: number | bigint | null
  #seen = 0

  constructor(plan: SelectPlan, row: Row) {
    this.#plan = plan
    const isMedian = plan.windows === null && plan.leaves.some(({ call }) => call === 'median')
    this.#time = plan.hasTime && !isMedian ? null : (plan.range.startNs ?? 0)
    const texts = row.map((text) => (text === 'null' ? '' : textOf(text)))
    let at = plan.measurement === null ? 1 : 0
    this.#head = {
      name: plan.measurement ?? texts[0]!,
      tags: plan.keys.map(({ name, isRead }) => [name, isRead ? texts[at++]! : '']),
      columns: ['time', ...plan.columns.map(({ name }) => name)],
    }
    this.#evaluates = plan.columns.map(({ make }) => make())
  }

  /** Null when none of the points is on the page. */
  part(points: readonly Point[]): SeriesPart | null {
    const { limit, offset } = this.#plan.page
    const rows: Cell[][] = []
    const times: (number | bigint)[] = []
    for (const { ms, cells } of points) {
      const row = this.#evaluates.map((evaluate) => evaluate(ms, cells))
      if (row.every((value) => value === undefined)) continue
      const place = this.#seen++
      if (place < offset || (limit !== null && place >= offset + limit)) continue
      rows.push(row)
      times.push(this.#time ?? ms)
    }
    return rows.length === 0 ? null : { head: this.#head, rows, times }
  }
}
