import { brokenOff } from './druid-failure.ts'

const lineFeed = 0x0a

/**
 * Cuts lines of JSON that come in pieces: yields them as the text of arrays, about one for each piece. Throws Problem `unavailable` when
 * the empty line is missing that Druid puts at the end of a whole answer.
 */
export async function* jsonLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pending: Buffer[] = []
  let isWhole = false
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(lineFeed)
    if (end === -1) {
      pending.push(piece)
      continue
    }
    pending.push(piece.subarray(0, end))
    const text = Buffer.concat(pending).toString('utf8')
    const isBlankLast = text === '' || text.endsWith('\n')
    isWhole = isBlankLast && end === piece.length - 1
    const lines = text.replace(/(?<!\n)\n+$/, '').replaceAll('\n', ',')
    if (lines !== '') yield `[${lines}]`
    pending = [piece.subarray(end + 1)]
  }
  if (!isWhole) throw brokenOff('its last line is missing')
}
