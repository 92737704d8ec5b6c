// Turns the rows of a response into lines over time.
import {
  type Gap,
  gapsOver,
  type Line,
  type LineData,
  lineData,
  type Points,
  pointOf,
  secondsOf,
} from '../../parts/line-data.ts'
import { msIn, type Row, type RowTable } from '../../parts/rows-stream.ts'

export interface Lines {
  readonly names: readonly string[]
  /** The first tag of each name. */
  readonly tags: readonly string[]
  /** The metric of each name. */
  readonly metrics: readonly string[]
  /** One line per name, followed by their dashed ends and the edges of their bands. */
  readonly lines: readonly DrawnLine[]
  readonly data: LineData
  /** Indexes of lines. */
  readonly bands: readonly Band[]
  /** The number of lines beyond the limit, which are not drawn. */
  readonly left: number
}

interface DrawnLine extends Line {
  /** The index of its name. */
  readonly color: number
}

interface Band {
  readonly low: number
  readonly high: number
}

/** How a metric is drawn, with the columns of the response that it uses. */
export interface DrawnField {
  readonly name: string
  readonly value: string
  readonly band?: { readonly low: string; readonly high: string }
  readonly drawn: NonNullable<Line['drawn']>
  /** The gaps between the seconds of a line's points. */
  gapsOf(seconds: readonly number[]): Gap[]
  /** A value is valid until the next item, but at most this long. */
  readonly holdsSeconds?: number
}

export interface Columns {
  readonly time: string
  /** Each combination of these is a line. */
  readonly tags: readonly string[]
  readonly fields: readonly DrawnField[]
  /** For buckets: a bucket that began earlier is drawn from here on. */
  readonly bucketsFrom?: number
  /** The latest second up to which a value is extended. */
  readonly untilSecond: number
  /** For buckets: whether the range cuts one off. */
  isPartial?(second: number): boolean
}

/** The most lines of one chart. */
export const linesMax = 20

interface Column {
  readonly line: DrawnLine
  readonly points: Points
  readonly gaps: readonly Gap[]
}

/** The lines of a response; `edges` are responses with the items next to the range. */
export function linesOf(table: RowTable, columns: Columns, edges: readonly RowTable[] = []): Lines {
  const { tags, fields } = columns
  const tables = [table, ...edges].filter(({ rows }) => rows.length > 0)
  const all = byTags(tables, tags).sort(({ name: one }, { name: other }) => (one < other ? -1 : one > other ? 1 : 0))
  const shown = all.slice(0, Math.max(1, Math.floor(linesMax / Math.max(1, fields.length))))
  const values = pointsOf(shown, columns, ({ value }) => value)
  const drawn = shown.flatMap(({ key, name }) =>
    fields.map((field) => ({ field, key, name: fields.length === 1 ? name : `${name} · ${field.name}` })),
  )
  const whole = drawn.map(({ field }, place) => held(values[place]!, field, columns))
  const cut = whole.map(({ points, gaps }, place) => cutEnds(points, gaps, drawn[place]!.field, columns))
  const main = drawn.map(({ field, name }, color): Column => {
    return { line: { name, color, drawn: field.drawn }, points: cut[color]!.points, gaps: whole[color]!.gaps }
  })
  const ends = cut.flatMap(({ dashed, gaps }, color): Column[] =>
    dashed.size === 0
      ? []
      : [{ line: { name: drawn[color]!.name, color, drawn: 'line', dashed: true }, points: dashed, gaps }],
  )
  const sides = (['low', 'high'] as const).map((side) => pointsOf(shown, columns, ({ band }) => band?.[side]))
  const edgesOfBands = drawn.flatMap(({ field, name }, color): Column[] =>
    field.band === undefined
      ? []
      : sides.map((side) => {
          return { line: { name, color, drawn: 'edge' }, points: side[color]!, gaps: whole[color]!.gaps }
        }),
  )
  const made = [...main, ...ends, ...edgesOfBands]
  const firstEdge = main.length + ends.length
  return {
    names: drawn.map(({ name }) => name),
    tags: drawn.map(({ key }) => firstOf(key)),
    metrics: drawn.map(({ field }) => field.name),
    lines: made.map(({ line }) => line),
    data: lineData(
      made.map(({ points }) => points),
      made.map(({ gaps }) => gaps),
    ),
    bands: edgesOfBands.flatMap((_, place) =>
      place % 2 === 0 ? [{ low: firstEdge + place, high: firstEdge + place + 1 }] : [],
    ),
    left: (all.length - shown.length) * fields.length,
  }
}

/** A key for a combination of tags. Names are not unique. */
export const keyOf = (row: Row, tagsAt: readonly number[]): string =>
  JSON.stringify(tagsAt.map((at) => row[at] ?? null))

const firstOf = (key: string): string => String(JSON.parse(key)[0] ?? '')

interface OfTags {
  readonly key: string
  readonly name: string
  /** The rows of these tags in each table. */
  readonly tables: readonly RowTable[]
}

/** Groups the rows by combination of tags. */
function byTags(tables: readonly RowTable[], tags: readonly string[]): OfTags[] {
  const found = new Map<string, { name: string; rows: Row[][] }>()
  for (const [place, { columns, rows }] of tables.entries()) {
    const tagsAt = tags.map((tag) => columns.indexOf(tag))
    for (const row of rows) {
      const key = keyOf(row, tagsAt)
      let own = found.get(key)
      if (own === undefined) {
        own = { name: nameOfTags(tagsAt.map((at) => row[at])), rows: tables.map(() => []) }
        found.set(key, own)
      }
      own.rows[place]!.push(row)
    }
  }
  return [...found].map(([key, { name, rows }]) => ({
    ...{ key, name },
    tables: tables.map(({ columns }, place) => ({ columns, rows: rows[place]! })),
  }))
}

/** The values of one column of each field, for each combination and field, in that order. */
function pointsOf(
  all: readonly OfTags[],
  { time, fields, bucketsFrom = Number.NEGATIVE_INFINITY }: Columns,
  columnOf: (field: DrawnField) => string | undefined,
): Map<number, number>[] {
  return all.flatMap(({ tables }) =>
    fields.map((field) => {
      const points = new Map<number, number>()
      const column = columnOf(field)
      if (column === undefined) return points
      for (const table of tables) {
        const msOf = msIn(table, time)
        const at = table.columns.indexOf(column)
        for (const row of table.rows) {
          const value = pointOf(row[at])
          if (value !== null) points.set(Math.max(bucketsFrom, msOf(row) / 1000), value)
        }
      }
      return points
    }),
  )
}

/** A line with its gaps. A value with a limited validity ends in a point of its own, before a gap and at the end. */
function held(
  points: Map<number, number>,
  field: DrawnField,
  { untilSecond }: Columns,
): { points: Points; gaps: Gap[] } {
  const seconds = secondsOf(points)
  const { holdsSeconds } = field
  if (holdsSeconds === undefined) return { points, gaps: field.gapsOf(seconds) }
  const last = seconds.at(-1)
  const gaps = gapsOver(seconds, holdsSeconds).map(({ from, to }) => ({ from: from + holdsSeconds, to }))
  const ends = gaps.map(({ from }): [number, number] => [from, points.get(from - holdsSeconds)!])
  const end = last === undefined ? untilSecond : Math.min(last + holdsSeconds, untilSecond)
  if (last !== undefined && end > last) ends.push([end, points.get(last)!])
  return { points: new Map([...points, ...ends]), gaps }
}

/** The points without those of cut-off buckets, and the dashed segments that lead to these. */
function cutEnds(points: Points, gaps: readonly Gap[], field: DrawnField, { isPartial }: Columns) {
  const none = { points, dashed: new Map<number, number>(), gaps: [] }
  const seconds = secondsOf(points)
  if (isPartial === undefined || field.drawn !== 'line' || seconds.length < 2) return none
  const isGap = (from: number): boolean => gaps.some((gap) => gap.from === from)
  const last = seconds.length - 1
  const pairs = [
    ...(isPartial(seconds[0]!) && !isGap(seconds[0]!) ? [{ cut: seconds[0]!, pair: [0, 1] }] : []),
    ...(isPartial(seconds[last]!) && !isGap(seconds[last - 1]!)
      ? [{ cut: seconds[last]!, pair: [last - 1, last] }]
      : []),
  ]
  if (pairs.length === 0) return none
  const dashed = new Map(
    pairs.flatMap(({ pair }) => pair.map((at): [number, number] => [seconds[at]!, points.get(seconds[at]!)!])),
  )
  const between = { from: seconds[1]!, to: seconds[last - 1]! }
  return {
    points: new Map([...points].filter(([second]) => !pairs.some(({ cut }) => cut === second))),
    dashed,
    gaps: pairs.length === 2 && between.from < between.to ? [between] : [],
  }
}

/** The name of a combination of tags, with slashes between several. */
export function nameOfTags(values: readonly unknown[]): string {
  return values.map((value) => (value == null ? '–' : String(value))).join(' / ')
}

/** Merges the rows of several responses to one request, ordered by time. */
export function merged(tables: readonly RowTable[], time: string): RowTable {
  const columns = tables.find(({ rows }) => rows.length > 0)?.columns ?? []
  const rows = tables.flatMap((one) => one.rows)
  const msOf = msIn({ columns, rows }, time)
  return { columns, rows: rows.sort((a, b) => msOf(a) - msOf(b)) }
}

export function newestMs({ columns, rows }: RowTable, time: string): number | null {
  const last = rows.at(-1)?.[columns.indexOf(time)]
  return typeof last === 'string' ? Date.parse(last) : null
}

/** The old rows with the fresh ones. Drops old rows that the fresh ones replace, and those before the range. */
export function joined(old: RowTable, fresh: RowTable, time: string, sinceMs: number, fromMs: number): RowTable {
  const msOf = msIn(old, time)
  const kept = old.rows.filter((row) => msOf(row) < sinceMs && msOf(row) >= fromMs)
  return { columns: old.columns, rows: [...kept, ...fresh.rows] }
}
