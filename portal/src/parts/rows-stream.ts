// An answer of rows, one JSON object a line, read while it comes.

export interface RowTable {
  readonly columns: readonly string[]
  /** Values in the order of the columns; a row may end early. */
  readonly rows: readonly (readonly unknown[])[]
}

const stringOrLong = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g

/** Integers that a number would cut come as texts. */
export function parsedRow(line: string): Record<string, unknown> {
  if (!/\d{16}/.test(line)) return JSON.parse(line)
  return JSON.parse(line.replace(stringOrLong, (found) => (found.startsWith('"') ? found : `"${found}"`)))
}

export async function readRows(chunks: AsyncIterable<Uint8Array>, onRows: (rows: number) => void): Promise<RowTable> {
  const places = new Map<string, number>()
  const rows: unknown[][] = []
  const add = (line: string): void => {
    if (line.trim() === '') return
    const row: unknown[] = []
    for (const [name, value] of Object.entries(parsedRow(line))) {
      let place = places.get(name)
      if (place === undefined) {
        place = places.size
        places.set(name, place)
      }
      row[place] = value
    }
    rows.push(Array.from(row))
  }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) add(line)
    onRows(rows.length)
  }
  add(rest + decoder.decode())
  onRows(rows.length)
  return { columns: [...places.keys()], rows }
}
