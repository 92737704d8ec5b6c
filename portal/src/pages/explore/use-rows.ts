import { useEffect, useRef, useState } from 'preact/hooks'
import { mayGoBetter } from '../../../../src/client/retries.ts'
import { ConnectionError } from '../../../../src/client/service-error.ts'
import { type RowTable, readRows } from '../../parts/rows-stream.ts'
import { clientOf } from '../../session/session.ts'
import { cameBack, wentAway } from '../../shell/reach.ts'
import { useStore } from '../../shell/store.ts'
import { joined, merged, newestMs } from './lines.ts'
import { rangeOf, requestOf, type Span, type View } from './view.ts'

export interface Shown {
  /** What was asked for. */
  readonly view: View
  readonly table: RowTable
  /** Of the tags that could not be had. */
  readonly faults: readonly TagFault[]
  readonly span: Span
  readonly ms: number
}

export interface TagFault {
  readonly tag: string
  readonly error: unknown
}

export interface Rows {
  /** While `busy` it may be what was asked for before. */
  readonly shown: Shown | null
  readonly error: unknown
  readonly busy: boolean
  /** How many rows have come so far. */
  readonly rows: number
  stop(): void
  again(): void
}

const liveEveryMs = 1000

interface Asking {
  readonly view: View
  readonly buckets: number
  /** The column that rows are in the order of. */
  readonly time: string
}

/** The rows of a view; live, what is new is asked for every second. */
export function useRows({ view, buckets, time }: Asking, ready: boolean): Rows {
  const [state, show] = useState<Omit<Rows, 'stop' | 'again'>>({ shown: null, error: null, busy: false, rows: 0 })
  const control = useRef<AbortController | null>(null)
  const [round, nextRound] = useState(0)
  const returns = useStore(cameBack)
  // At which axis a line is drawn is nothing to ask for.
  const words = JSON.stringify([{ ...view, right: [] }, buckets, time])
  useEffect(() => {
    if (!ready) return
    const stop = new AbortController()
    control.current = stop
    // What comes late of an earlier question is no news.
    const showMine: typeof show = (next) => {
      if (control.current === stop) show(next)
    }
    showMine((before) => ({ ...before, error: null, busy: true, rows: 0 }))
    const onRows = (rows: number): void => showMine((before) => ({ ...before, rows }))
    void follow({ view, buckets, time }, stop.signal, onRows, (shown) =>
      showMine({ shown, error: null, busy: false, rows: shown.table.rows.length }),
    ).catch((error: unknown) => {
      const isStopped = stop.signal.aborted
      if (error instanceof ConnectionError && !isStopped) wentAway()
      showMine(({ shown, rows }) => ({
        // What was asked for before is no answer to this.
        shown: shown?.view === view ? shown : null,
        error: isStopped ? null : error,
        busy: false,
        rows,
      }))
    })
    return () => {
      control.current = null
      stop.abort()
    }
  }, [words, ready, returns, round])
  return { ...state, stop: () => control.current?.abort(), again: () => nextRound((count) => count + 1) }
}

interface Part {
  readonly table: RowTable
  readonly faults: readonly TagFault[]
}

/** All tags in one request. Where that fails each in its own, so that what is wrong with one keeps no other away; throws where all fail. */
async function askTags(
  tags: readonly string[],
  time: string,
  ask: (tags: readonly string[]) => Promise<RowTable>,
): Promise<Part> {
  try {
    return { table: await ask(tags), faults: [] }
  } catch (error) {
    // What may go better later is no tag's fault, and more requests make it worse.
    if (tags.length === 1 || mayGoBetter(error)) throw error
    const each = await Promise.allSettled(tags.map((tag) => ask([tag])))
    const tables = each.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (tables.length === 0) throw error
    const faults = each.flatMap((one, place) =>
      one.status === 'rejected' ? [{ tag: tags[place]!, error: one.reason }] : [],
    )
    return { table: merged(tables, time), faults }
  }
}

async function follow(
  { view, buckets, time }: Asking,
  signal: AbortSignal,
  onRows: (rows: number) => void,
  onShown: (shown: Shown) => void,
): Promise<void> {
  const span = rangeOf(view, Date.now())
  if (span === null) throw new Error('The range cannot be read. Write dates such as 2026-01-01T08:00.')
  const client = clientOf(signal)
  const began = performance.now()
  const stepped = withStep(view, span, buckets)
  const ask = (part: Span): Promise<Part> =>
    askTags(view.tags, time, (tags) =>
      readRows(client.queryBytes(view.how, requestOf({ ...stepped, tags }, part, buckets), 'ndjson'), onRows),
    )
  let { table, faults } = await ask(span)
  const ms = performance.now() - began
  onShown({ view, table, faults, span, ms })
  while (view.live && view.range !== '') {
    await new Promise((resolve) => setTimeout(resolve, liveEveryMs))
    signal.throwIfAborted()
    const now = rangeOf(view, Date.now())!
    const since = view.how === 'latest' ? null : newestMs(table, time)
    const fresh = await ask(since === null ? now : { ...now, fromMs: Math.max(now.fromMs, since) })
    table = since === null ? fresh.table : joined(table, fresh.table, time, since, now.fromMs)
    faults = fresh.faults
    onShown({ view, table, faults, span: now, ms })
  }
}

/** What is new comes in the buckets that the whole is in. */
function withStep(view: View, span: Span, buckets: number): View {
  const { granularity } = requestOf(view, span, buckets)
  return { ...view, granularity: granularity ?? '' }
}
