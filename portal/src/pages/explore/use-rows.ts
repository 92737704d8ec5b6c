import { useEffect, useRef, useState } from 'preact/hooks'
import { ConnectionError } from '../../../../src/client/service-error.ts'
import { type RowTable, readRows } from '../../parts/rows-stream.ts'
import { clientOf } from '../../session/session.ts'
import { cameBack, wentAway } from '../../shell/reach.ts'
import { useStore } from '../../shell/store.ts'
import { joined, newestMs } from './lines.ts'
import { rangeOf, requestOf, type Span, type View } from './view.ts'

export interface Shown {
  readonly table: RowTable
  readonly span: Span
  readonly ms: number
}

export interface Rows {
  readonly shown: Shown | null
  readonly error: unknown
  readonly busy: boolean
  /** How many rows have come so far. */
  readonly rows: number
  stop(): void
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
  const [state, show] = useState<Omit<Rows, 'stop'>>({ shown: null, error: null, busy: false, rows: 0 })
  const control = useRef<AbortController | null>(null)
  const returns = useStore(cameBack)
  const words = JSON.stringify([view, buckets, time])
  useEffect(() => {
    if (!ready) return
    const stop = new AbortController()
    control.current = stop
    show((before) => ({ ...before, error: null, busy: true, rows: 0 }))
    const onRows = (rows: number): void => show((before) => ({ ...before, rows }))
    void follow({ view, buckets, time }, stop.signal, onRows, (shown) =>
      show({ shown, error: null, busy: false, rows: shown.table.rows.length }),
    ).catch((error: unknown) => {
      if (error instanceof ConnectionError && !stop.signal.aborted) wentAway()
      show((before) => ({ ...before, error: stop.signal.aborted ? null : error, busy: false }))
    })
    return () => stop.abort()
  }, [words, ready, returns])
  return { ...state, stop: () => control.current?.abort() }
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
  const ask = (part: Span): Promise<RowTable> =>
    readRows(client.queryBytes(view.how, requestOf(withStep(view, span, buckets), part, buckets), 'ndjson'), onRows)
  let table = await ask(span)
  const ms = performance.now() - began
  onShown({ table, span, ms })
  while (view.live && view.range !== '') {
    await new Promise((resolve) => setTimeout(resolve, liveEveryMs))
    signal.throwIfAborted()
    const now = rangeOf(view, Date.now())!
    const since = view.how === 'latest' ? null : newestMs(table, time)
    const fresh = await ask(since === null ? now : { ...now, fromMs: Math.max(now.fromMs, since) })
    table = since === null ? fresh : joined(table, fresh, time, since, now.fromMs)
    onShown({ table, span: now, ms })
  }
}

/** What is new comes in the buckets that the whole is in. */
function withStep(view: View, span: Span, buckets: number): View {
  const { granularity } = requestOf(view, span, buckets)
  return { ...view, granularity: granularity ?? '' }
}
