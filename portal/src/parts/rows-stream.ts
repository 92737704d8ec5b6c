// Reads a response of rows, one JSON object per line, while it arrives.
import { parseWithLongs } from '../../../src/lib/json-with-longs.ts'

export interface RowTable {
  readonly columns: readonly string[]
  /** Values in the order of the columns; a row may be shorter. Integers that a double cannot represent are bigints. */
  readonly rows: readonly Row[]
}

export type Row = readonly unknown[]

/** Returns a function for the time of a row in milliseconds; NaN if it has none. */
export function msIn({ columns }: RowTable, time: string): (row: Row | undefined) => number {
  const at = columns.indexOf(time)
  return (row) => Date.parse(String(row?.[at]))
}

export async function readRows(chunks: AsyncIterable<Uint8Array>, onRows: (rows: number) => void): Promise<RowTable> {
  const places = new Map<string, number>()
  const rows: unknown[][] = []
  // Parsing all lines of a chunk together takes half the time.
  const add = (lines: readonly string[]): void => {
    const written = lines.filter((line) => line.trim() !== '')
    for (const item of parseWithLongs(`[${written.join(',')}]`) as Readonly<Record<string, unknown>>[]) {
      const row: unknown[] = []
      for (const name in item) {
        let place = places.get(name)
        if (place === undefined) {
          place = places.size
          places.set(name, place)
        }
        while (row.length < place) row.push(undefined)
        row[place] = item[name]
      }
      rows.push(row)
    }
  }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    add(lines)
    onRows(rows.length)
  }
  add([rest + decoder.decode()])
  onRows(rows.length)
  return { columns: [...places.keys()], rows }
}
