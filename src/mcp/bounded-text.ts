// An assistant reads every character of an answer and pays for it: it is told the first rows, and what to ask in place of the rest.

/** The most rows of an answer, and how many where the assistant does not say. */
export const rowsMax = 2000
export const rowsDefault = 200
/** The most bytes of an answer, which are some 20,000 tokens. */
export const textBytesMax = 48 * 1024

export interface Bounded {
  readonly lines: readonly string[]
  readonly cutBy: 'rows' | 'bytes' | null
}

/** The first lines, as many as are asked for and as fit. `headLines` of them are no rows. */
export async function firstLines(
  lines: AsyncIterable<string> | Iterable<string>,
  { rows, headLines = 0 }: { readonly rows: number; readonly headLines?: number },
): Promise<Bounded> {
  const taken: string[] = []
  let bytes = 0
  for await (const line of lines) {
    if (taken.length === rows + headLines) return { lines: taken, cutBy: 'rows' }
    bytes += Buffer.byteLength(line) + 1
    if (bytes > textBytesMax) return { lines: taken, cutBy: 'bytes' }
    taken.push(line)
  }
  return { lines: taken, cutBy: null }
}

const quote = 0x22
const lineFeed = 0x0a

/** The records of CSV as they come, a text with line ends in it as one record. One that is longer than all that is told ends them. */
export async function* csvRecords(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true })
    let from = 0
    let isQuoted = false
    for (let at = 0; at < rest.length; at++) {
      const character = rest.charCodeAt(at)
      if (character === quote) isQuoted = !isQuoted
      if (character !== lineFeed || isQuoted) continue
      yield rest.slice(from, at).replace(/\r$/, '')
      from = at + 1
    }
    rest = rest.slice(from)
    if (rest.length > textBytesMax) break
  }
  if (rest !== '') yield rest
}
