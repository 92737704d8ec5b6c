// Every character of a response costs an assistant tokens, so it gets the first rows and advice on how to request less.

/** The most rows of a response, and the default. */
export const rowsMax = 2000
export const rowsDefault = 200
/** The most bytes of a response, about 20,000 tokens. */
export const textBytesMax = 48 * 1024

export interface Bounded {
  readonly lines: readonly string[]
  readonly cutBy: 'rows' | 'bytes' | null
}

/** The first lines, limited by `rows` and by the bytes that fit. The first `headLines` are not rows. */
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

/** CSV records as they arrive; a record may contain line ends. A record longer than the limit of a response ends them. */
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
