/** A block of a stream of server-sent events. */
interface LiveBlock {
  readonly id: string | null
  readonly event: string | null
  readonly data: string | null
}

/** The blocks of a stream, as they come; those of an answer that is cut end with the cut. */
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

/** One reader of live rows, through all its connections. */
export class LiveReader {
  readonly rows: unknown[] = []
  /** Rows and deletions in the order in which they were told. */
  readonly told: (readonly [event: 'row' | 'deleted', data: unknown])[] = []
  /** What came that is neither rows nor an id. */
  readonly events: string[] = []
  lastId: string | null = null
  /** That of the block before: what a reader goes on from who takes an id one too early. */
  idBefore: string | null = null
  #cut: AbortController | null = null
  #reading: Promise<void> | null = null

  /** Resolves when the head of the answer is there, and the first id. */
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

  /** Breaks the connection off, wherever it is. */
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
    this.told.push(['row', row])
  }

  #take({ id, event, data }: LiveBlock): void {
    if (event === 'rows') for (const row of JSON.parse(data!) as unknown[]) this.#takeRow(row)
    else if (event === 'deleted') this.told.push([event, JSON.parse(data!)])
    else if (event !== null) this.events.push(event)
    if (id === null) return
    this.idBefore = this.lastId
    this.lastId = id
  }
}
