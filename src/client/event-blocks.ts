/** A block of server-sent events: only what has data is an event. */
export interface EventBlock {
  readonly id: string | null
  readonly event: string
  readonly data: string | null
}

/** The blocks of a stream, as its bytes come; comments are left out. What was cut in the middle is none. */
export async function* eventBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock> {
  const decoder = new TextDecoder()
  let rest = ''
  let fields = new Map<string, string>()
  for await (const chunk of bytes) {
    // A proxy may have changed the line ends. One that is cut in two is seen whole with the next chunk.
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, name, value] = /^([^:]+): ?(.*)$/.exec(line) ?? []
      if (name !== undefined && value !== undefined) {
        const before = name === 'data' ? fields.get(name) : undefined
        fields.set(name, before === undefined ? value : `${before}\n${value}`)
      }
      if (line !== '' || fields.size === 0) continue
      yield { id: fields.get('id') ?? null, event: fields.get('event') ?? 'message', data: fields.get('data') ?? null }
      fields = new Map()
    }
  }
}
