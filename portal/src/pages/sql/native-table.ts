import type { RowTable } from '../../parts/rows-stream.ts'

type Row = Readonly<Record<string, unknown>>

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The rows in an entry of a native response, whose shape depends on the kind of query. */
function rowsIn(entry: Row): readonly Row[] {
  const { timestamp, result, event, events, columns } = entry
  if (Array.isArray(events)) {
    const names = Array.isArray(columns) ? columns : []
    return events.map((one) =>
      Array.isArray(one) ? Object.fromEntries(one.map((value, place) => [String(names[place] ?? place), value])) : one,
    )
  }
  if (Array.isArray(result)) return result.filter(isRow).map((row) => ({ timestamp, ...row }))
  if (isRow(result)) return [{ timestamp, ...result }]
  if (isRow(event)) return [{ timestamp, ...event }]
  return [entry]
}

/** A native response as a table; null if it is not a list of rows. */
export function nativeTable(answer: unknown): RowTable | null {
  if (!Array.isArray(answer) || !answer.every(isRow)) return null
  const rows = answer.flatMap(rowsIn)
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return { columns, rows: rows.map((row) => columns.map((column) => row[column])) }
}
