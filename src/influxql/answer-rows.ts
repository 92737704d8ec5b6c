// The rows of an answer that was asked for as lines of arrays: each cell as its text in JSON, so that whole numbers keep all their digits.
import type { Answer } from '../answer/whole-answer.ts'
import type { DruidLayout } from '../model/druid-layout.ts'

export const rowsLayout: DruidLayout = {
  resultFormat: 'arrayLines',
  header: false,
  typesHeader: false,
  sqlTypesHeader: false,
}

export type Row = readonly string[]

/** What the text of a cell says: a text without its quotes, all else as it is. */
export const textOf = (written: string): string => (written.startsWith('"') ? JSON.parse(written) : written)

const cell = /"(?:[^"\\]|\\[\s\S]?)*"?|[^",[\]]+/g

/** As many at a time as come at once. */
export async function* rowsOf({ chunks }: Answer): AsyncGenerator<readonly Row[]> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    yield lines.filter((line) => line !== '').map((line) => line.match(cell)!)
  }
}
