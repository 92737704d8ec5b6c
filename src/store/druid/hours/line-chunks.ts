/** Lines of JSON that one task of Druid writes: the same lines make the same texts, whoever cuts them; each up to `bytesMax`, or one line that is more. */
export async function* lineChunks(lines: AsyncIterable<string>, bytesMax: number): AsyncGenerator<string> {
  let held: string[] = []
  let bytes = 0
  for await (const line of lines) {
    const more = Buffer.byteLength(line) + 1
    if (held.length > 0 && bytes + more > bytesMax) {
      yield held.join('\n')
      held = []
      bytes = 0
    }
    held.push(line)
    bytes += more
  }
  if (held.length > 0) yield held.join('\n')
}
