import type { DeletionAnswer } from './answers.ts'
import { queryAddress } from './query-address.ts'
import type { LiveOptions, LiveRequest } from './request-options.ts'
import { defaultWaits, isRetryableError } from './retries.ts'
import { ConnectionError } from './service-error.ts'
import type { Transport } from './transport.ts'

/** An event of a stream of live rows. A client that later resumes from `id`, with `after`, misses nothing and receives nothing twice. */
export type LiveEvent<Row> =
  /** `json` is the text of `items`, with all digits of integers that a double cannot represent. */
  | { readonly event: 'rows'; readonly id: string; readonly items: readonly Row[]; readonly json: string }
  /** Rows sent before that match the selection are deleted. If `undone`, they are visible again and have to be read again. */
  | { readonly event: 'deleted'; readonly id: string; readonly deletion: LiveDeletion }
  /** Rows may be missing before this event: those from `date` on have to be read again, or all rows if it is null. */
  | { readonly event: 'reset'; readonly id: string; readonly date: string | null }

export interface LiveDeletion extends Pick<DeletionAnswer, 'id' | 'selection'> {
  /** Whether the deletion was taken back. */
  readonly undone: boolean
}

/** The service sends something every 15 seconds: a connection that is silent for this long is broken. */
const silentMs = 45_000

/** The events of one entity, over as many connections as needed: after a cut it resumes from the last id. */
export async function* liveEvents<Row>(
  http: Transport,
  request: LiveRequest,
  { after, signal, onRetry = () => undefined }: LiveOptions,
): AsyncGenerator<LiveEvent<Row>> {
  let lastId = after ?? null
  const hasEnded = (): boolean => signal?.aborted === true
  for (let failures = 0; !hasEnded(); ) {
    try {
      for await (const { id, event, data } of blocksOf(http, request, lastId, signal)) {
        failures = 0
        const live = id === null || data === null ? null : liveEventOf<Row>(event, id, data)
        if (live !== null) yield live
        // Set after the yield: the consumer has the event before its id counts.
        lastId = id ?? lastId
      }
      throw new ConnectionError('The stream of live rows ended.', { sent: true, cause: null })
    } catch (error) {
      if (hasEnded()) return
      if (!(error instanceof Error) || !isRetryableError(error)) throw error
      const waitMs = Math.min(defaultWaits.firstRetryWaitMs * 2 ** failures++, defaultWaits.maxRetryWaitMs)
      onRetry(error, waitMs)
      await new Promise((resolve) => setTimeout(resolve, waitMs))
    }
  }
}

function liveEventOf<Row>(event: string, id: string, data: string): LiveEvent<Row> | null {
  if (event === 'rows') return { event, id, items: JSON.parse(data), json: data }
  if (event === 'deleted') return { event, id, deletion: { undone: false, ...JSON.parse(data) } }
  return event === 'reset' ? { event, id, date: JSON.parse(data).date } : null
}

/** The blocks of one connection. */
async function* blocksOf(
  http: Transport,
  request: LiveRequest,
  lastId: string | null,
  signal: AbortSignal | undefined,
) {
  const silence = new AbortController()
  const timer = (): ReturnType<typeof setTimeout> => setTimeout(() => silence.abort(), silentMs)
  let waiting = timer()
  const events = async function* (bytes: AsyncIterable<Uint8Array>) {
    for await (const chunk of bytes) {
      clearTimeout(waiting)
      waiting = timer()
      yield chunk
    }
  }
  try {
    const path = `/consumer/data/live?${queryAddress(request)}`
    const headers = { accept: 'text/event-stream', ...(lastId === null ? {} : { 'last-event-id': lastId }) }
    const ended = AbortSignal.any([silence.signal, ...(signal === undefined ? [] : [signal])])
    yield* eventBlocks(events(http.stream({ method: 'GET', path, headers, signal: ended })))
  } finally {
    clearTimeout(waiting)
  }
}

/** A block of server-sent events. Only blocks with data are events. */
interface EventBlock {
  readonly id: string | null
  readonly event: string
  readonly data: string | null
}

/** The blocks of a stream, as its bytes arrive, without comments. An incomplete block at the end is dropped. */
async function* eventBlocks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<EventBlock> {
  const decoder = new TextDecoder()
  let rest = ''
  let fields = new Map<string, string>()
  for await (const chunk of bytes) {
    // A proxy may have changed the line ends. One that is split between two chunks is completed by the next chunk.
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
