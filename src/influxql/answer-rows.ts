// Reads the rows of an answer in lines of arrays. Each cell stays JSON text, so that whole numbers keep all their digits.
import type { Answer } from '../answer/whole-answer.ts'
import type { DruidLayout } from '../model/druid-layout.ts'

export const rowsLayout: DruidLayout = {
  resultFormat: 'arrayLines',
  header: false,
  typesHeader: false,
  sqlTypesHeader: false,
}

export type Row = readonly string[]

/** The text of a cell: a JSON string without its quotes, anything else unchanged. */
export const textOf = (written: string): string => (written.startsWith('"') ? JSON.parse(written) : written)

const cell = /"(?:[^"\\]|\\[\s\S]?)*"?|[^",[\]]+/g

/** Yields the rows of each chunk together. */
export async function* rowsOf({ chunks }: Answer): AsyncGenerator<readonly Row[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    yield lines.filter((line) => line !== '').map((line) => line.match(cell)!)
  }
}
