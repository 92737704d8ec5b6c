// Rows of an answer as lines over time.
import { type LineData, lineData, pointOf } from '../../parts/line-data.ts'
import type { RowTable } from '../../parts/rows-stream.ts'

export interface Lines {
  readonly names: readonly string[]
  readonly data: LineData
  /** Lines that there was no more room for. */
  readonly left: number
}

export interface Columns {
  readonly time: string
  /** Each combination of them is a line. */
  readonly tags: readonly string[]
  readonly fields: readonly string[]
}

const linesMax = 20

export function linesOf({ columns, rows }: RowTable, { time, tags, fields }: Columns): Lines {
  const timeAt = columns.indexOf(time)
  const tagsAt = tags.map((tag) => columns.indexOf(tag))
  // Not by their names: those of two combinations may be the same.
  const keyOf = (row: RowTable['rows'][number]): string => JSON.stringify(tagsAt.map((at) => row[at] ?? null))
  const fieldsAt = fields.map((field) => columns.indexOf(field))
  const nameOfKey = new Map(rows.map((row) => [keyOf(row), nameOfTags(tagsAt.map((at) => row[at]))]))
  const all = [...nameOfKey].sort(([, one], [, other]) => (one < other ? -1 : one > other ? 1 : 0))
  const shown = all.slice(0, Math.max(1, Math.floor(linesMax / Math.max(1, fields.length))))
  const pointsOfKey = new Map(shown.map(([key]) => [key, fields.map(() => new Map<number, number>())]))
  for (const row of rows) {
    const points = pointsOfKey.get(keyOf(row))
    if (points === undefined) continue
    const second = Date.parse(String(row[timeAt])) / 1000
    for (const [field, column] of fieldsAt.entries()) {
      const value = pointOf(row[column])
      if (value !== null) points[field]!.set(second, value)
    }
  }
  const names = shown.flatMap(([, name]) => fields.map((field) => (fields.length === 1 ? name : `${name} · ${field}`)))
  return { names, data: lineData([...pointsOfKey.values()].flat()), left: (all.length - shown.length) * fields.length }
}

/** One tag as it is, several with a stroke between them. */
function nameOfTags(values: readonly unknown[]): string {
  return values.map((value) => (value == null ? '–' : String(value))).join(' / ')
}

/** Rows of several answers to one request as those of one, in the order of their times. */
export function merged(tables: readonly RowTable[], time: string): RowTable {
  const columns = tables.find(({ rows }) => rows.length > 0)?.columns ?? []
  const timeAt = columns.indexOf(time)
  const instant = (row: RowTable['rows'][number]): number => Date.parse(String(row[timeAt]))
  return { columns, rows: tables.flatMap(({ rows }) => rows).sort((a, b) => instant(a) - instant(b)) }
}

export function newestMs({ columns, rows }: RowTable, time: string): number | null {
  const last = rows.at(-1)?.[columns.indexOf(time)]
  return typeof last === 'string' ? Date.parse(last) : null
}

/** The rows of before, without those that came anew and those that are older than what is shown. */
export function joined(old: RowTable, fresh: RowTable, time: string, sinceMs: number, fromMs: number): RowTable {
  const timeAt = old.columns.indexOf(time)
  const kept = old.rows.filter((row) => {
    const ms = Date.parse(String(row[timeAt]))
    return ms < sinceMs && ms >= fromMs
  })
  return { columns: old.columns, rows: [...kept, ...fresh.rows] }
}
