// Rows of an answer as lines over time.
import type { RowTable } from '../../parts/rows-stream.ts'

export interface Lines {
  readonly names: readonly string[]
  readonly data: [number[], ...(number | null | undefined)[][]]
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

/** `missing` is what stands where a line has no row: null is a gap, undefined is passed over. */
export function linesOf(
  { columns, rows }: RowTable,
  { time, tags, fields }: Columns,
  missing: null | undefined,
): Lines {
  const timeAt = columns.indexOf(time)
  const tagsAt = tags.map((tag) => columns.indexOf(tag))
  // Not by their names: those of two combinations may be the same.
  const keyOf = (row: RowTable['rows'][number]): string => JSON.stringify(tagsAt.map((at) => row[at] ?? null))
  const fieldsAt = fields.map((field) => columns.indexOf(field))
  const nameOfKey = new Map(rows.map((row) => [keyOf(row), nameOfTags(tagsAt.map((at) => row[at]))]))
  const all = [...nameOfKey].sort(([, one], [, other]) => (one < other ? -1 : one > other ? 1 : 0))
  const shown = all.slice(0, Math.max(1, Math.floor(linesMax / Math.max(1, fields.length))))
  const placeOfKey = new Map(shown.map(([key], place) => [key, place]))
  const seconds = rows.map((row) => Date.parse(String(row[timeAt])) / 1000)
  const times = [...new Set(seconds)].sort((a, b) => a - b)
  const placeOf = new Map(times.map((second, place) => [second, place]))
  const lines = shown.flatMap(() => fields.map(() => new Array<number | null | undefined>(times.length).fill(missing)))
  for (const [index, row] of rows.entries()) {
    const place = placeOfKey.get(keyOf(row))
    if (place === undefined) continue
    for (const [field, column] of fieldsAt.entries()) {
      const value = row[column]
      lines[place * fields.length + field]![placeOf.get(seconds[index]!)!] = numberOf(value)
    }
  }
  const names = shown.flatMap(([, name]) => fields.map((field) => (fields.length === 1 ? name : `${name} · ${field}`)))
  return { names, data: [times, ...lines], left: (all.length - shown.length) * fields.length }
}

/** One tag as it is, several with a stroke between them. */
function nameOfTags(values: readonly unknown[]): string {
  return values.map((value) => (value == null ? '–' : String(value))).join(' / ')
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  // Integers with more digits than a number has come as texts.
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : null
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
