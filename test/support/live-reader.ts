/** A block of a server-sent event stream. */
interface LiveBlock {
  readonly id: string | null
  readonly event: string | null
  readonly data: string | null
}

/** The blocks of a stream, as they arrive. The generator ends when the response is cut off. */
async function* liveBlocks(response: Response): AsyncGenerator<LiveBlock> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = response.body!.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += decoder.decode(part.value, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        if (!block.startsWith(':')) yield { id: null, event: null, data: null, ...fieldsOf(block) }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

function fieldsOf(block: string): Partial<LiveBlock> {
  return Object.fromEntries(block.split('\n').map((line) => [/^\w+/.exec(line)![0], line.replace(/^\w+: /, '')]))
}

/** One reader of live rows, across all its connections. */
export class LiveReader {
  readonly rows: unknown[] = []
  /** Rows and deletions in the order of arrival. */
  readonly receivedEvents: (readonly [event: 'row' | 'deleted', data: unknown])[] = []
  /** Events that are neither rows nor ids. */
  readonly events: string[] = []
  lastId: string | null = null
  /** The id of the block before: where a reader that records an id one block too early resumes. */
  idBefore: string | null = null
  #cut: AbortController | null = null
  #reading: Promise<void> | null = null

  /** Resolves when the response headers and the first id have arrived. */
  async connect(url: string, query: string, lastId = this.lastId): Promise<void> {
    await this.cut()
    const cut = new AbortController()
    this.#cut = cut
    const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId }
    const response = await fetch(`${url}/consumer/data/live?${query}`, { headers, signal: cut.signal })
    if (response.status !== 200) throw new Error(`live: ${response.status} ${await response.text()}`)
    const blocks = liveBlocks(response)
    const first = await blocks.next()
    this.#take(first.value!)
    this.#reading = this.#read(blocks).catch(() => undefined)
  }

  /** Cuts the connection at any point. */
  async cut(): Promise<void> {
    this.#cut?.abort()
    await this.#reading
    this.#reading = null
  }

  async #read(blocks: AsyncGenerator<LiveBlock>): Promise<void> {
    for await (const block of blocks) this.#take(block)
  }

  #takeRow(row: unknown): void {
    this.rows.push(row)
    this.receivedEvents.push(['row', row])
  }

  #take({ id, event, data }: LiveBlock): void {
    if (event === 'rows') for (const row of JSON.parse(data!) as unknown[]) this.#takeRow(row)
    else if (event === 'deleted') this.receivedEvents.push([event, JSON.parse(data!)])
    else if (event !== null) this.events.push(event)
    if (id === null) return
    this.idBefore = this.lastId
    this.lastId = id
  }
}
