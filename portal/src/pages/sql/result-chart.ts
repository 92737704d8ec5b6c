import { type Line, type LineData, lineData, pointOf } from '../../parts/line-data.ts'
import type { RowTable } from '../../parts/rows-stream.ts'

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
const linesMax = 10

export interface ChartData {
  readonly lines: readonly Line[]
  readonly data: LineData
}

function timeOf(value: unknown): number | null {
  const ms = typeof value === 'string' && iso.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : ms / 1000
}

/** A result with a time column as lines: one per numeric column, or, for a single numeric column, one per text. Null if it has no such columns. */
export function chartOf({ columns, rows }: RowTable): ChartData | null {
  const sample = rows.slice(0, 100)
  const time = columns.findIndex((_, place) => sample.length > 0 && sample.every((row) => timeOf(row[place]) !== null))
  const numbers = columns
    .map((_, place) => place)
    .filter((place) => sample.some((row) => typeof row[place] === 'number' || typeof row[place] === 'bigint'))
  if (time === -1 || numbers.length === 0) return null
  const text = columns.findIndex((_, place) => place !== time && sample.every((row) => typeof row[place] === 'string'))
  const split = text !== -1 && numbers.length === 1
  const names: string[] = split
    ? [...new Set(rows.map((row) => String(row[text])))].slice(0, linesMax)
    : numbers.slice(0, linesMax).map((place) => columns[place]!)
  const lineAt = new Map(names.map((name, place) => [name, place]))
  const points = names.map(() => new Map<number, number>())
  for (const row of rows) {
    const second = timeOf(row[time])
    for (const [index, column] of numbers.entries()) {
      const line = split ? lineAt.get(String(row[text])) : index
      const value = pointOf(row[column])
      if (second !== null && line !== undefined && value !== null) points[line]?.set(second, value)
    }
  }
  return { lines: names.map((name) => ({ name })), data: lineData(points) }
}
