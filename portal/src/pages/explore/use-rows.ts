import { useEffect, useRef, useState } from 'preact/hooks'
import { isRetryableError } from '../../../../src/client/retries.ts'
import { ConnectionError } from '../../../../src/client/service-error.ts'
import { type RowTable, readRows } from '../../parts/rows-stream.ts'
import type { Span } from '../../parts/span.ts'
import { clientOf } from '../../session/session.ts'
import { markUnreachable, reconnects } from '../../shell/reach.ts'
import { useStore } from '../../shell/store.ts'
import { type Drawn, type Expiring, overHours } from './kept-hours.ts'
import { joined, merged, newestMs } from './lines.ts'
import { edgesOf, isBucketed, type Question, questionOf, wordsOf } from './question.ts'
import { rangeOf, type View } from './view.ts'

export interface Shown {
  /** The requested view. */
  readonly asked: View
  /** The drawn view: the same, or the hours that are kept of it. */
  readonly view: View
  readonly kept: Drawn['kept']
  /** The query for the whole range. */
  readonly question: Question
  readonly table: RowTable
  /** The items next to the range. */
  readonly edges: readonly RowTable[]
  /** Tags whose query failed. */
  readonly faults: readonly TagFault[]
  readonly span: Span
  readonly pixels: number
  /** Time of the query. */
  readonly nowMs: number
  /** Duration of the query. */
  readonly ms: number
}

interface TagFault {
  readonly tag: string
  readonly error: unknown
}

export interface Rows {
  readonly shown: Shown | null
  /** Whether `shown` belongs to an earlier view. */
  readonly stale: boolean
  readonly error: unknown
  readonly busy: boolean
  /** The number of rows received so far. */
  readonly rows: number
  stop(): void
  again(): void
}

const liveEveryMs = 1000

export interface RowsRequest {
  readonly view: View
  readonly entity: Expiring
  /** The width of the chart. */
  readonly pixels: number
  /** The column by which rows are ordered. */
  readonly time: string
}

/** The rows of a view; in a live view, new rows are queried every second. */
export function useRows({ view, entity, pixels, time }: RowsRequest, ready: boolean): Rows {
  const [state, show] = useState<Omit<Rows, 'stale' | 'stop' | 'again'>>({
    shown: null,
    error: null,
    busy: false,
    rows: 0,
  })
  const control = useRef<AbortController | null>(null)
  const [round, nextRound] = useState(0)
  const returns = useStore(reconnects)
  const words = JSON.stringify([wordsOf(view), pixels, time, entity.rows_from])
  useEffect(() => {
    if (!ready) return
    const stop = new AbortController()
    control.current = stop
    // Late results of an earlier query are ignored.
    const showMine: typeof show = (next) => {
      if (control.current === stop) show(next)
    }
    showMine((before) => ({ ...before, error: null, busy: true, rows: 0 }))
    const onRows = (rows: number): void => showMine((before) => ({ ...before, rows }))
    void follow({ view, entity, pixels, time }, stop.signal, onRows, (shown) =>
      showMine({ shown, error: null, busy: false, rows: shown.table.rows.length }),
    ).catch((error: unknown) => {
      const isStopped = stop.signal.aborted
      if (error instanceof ConnectionError && !isStopped) markUnreachable()
      showMine(({ shown, rows }) => ({
        // Results of an earlier view do not belong to this one.
        shown: shown?.asked === view ? shown : null,
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
  const { shown } = state
  // Also true when nothing is queried: the shown data then belongs to an earlier view. A different width does not make it stale.
  const stale = shown !== null && wordsOf(shown.asked) !== wordsOf(view)
  return { ...state, stale, stop: () => control.current?.abort(), again: () => nextRound((count) => count + 1) }
}

interface Part {
  readonly table: RowTable
  readonly edges: readonly RowTable[]
  readonly faults: readonly TagFault[]
}

type Answer = Omit<Part, 'faults'>

/** Queries all tags in one request. If that fails, queries each tag separately, so that one bad tag does not block the others. Throws if all fail. */
async function askTags(
  tags: readonly string[],
  time: string,
  ask: (tags: readonly string[]) => Promise<Answer>,
): Promise<Part> {
  try {
    return { ...(await ask(tags)), faults: [] }
  } catch (error) {
    // A temporary failure is not caused by a tag, and more requests would make it worse.
    if (tags.length === 1 || isRetryableError(error)) throw error
    const each = await Promise.allSettled(tags.map((tag) => ask([tag])))
    const answers = each.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    if (answers.length === 0) throw error
    const faults = each.flatMap((one, place) =>
      one.status === 'rejected' ? [{ tag: tags[place]!, error: one.reason }] : [],
    )
    const tables = answers.map(({ table }) => table)
    return { table: merged(tables, time), edges: answers.flatMap(({ edges }) => edges), faults }
  }
}

async function follow(
  { view: asked, entity, pixels, time }: RowsRequest,
  signal: AbortSignal,
  onRows: (rows: number) => void,
  onShown: (shown: Shown) => void,
): Promise<void> {
  const range = rangeOf(asked, Date.now())
  if (range === null) {
    throw new Error(
      'The range cannot be read, or ends before it begins. Write times such as 2026-01-31 08:00, 31.01.2026, yesterday or -6h.',
    )
  }
  const { view, span, kept } = overHours(asked, range, { pixels, entity })
  const client = clientOf(signal)
  const began = performance.now()
  const question = questionOf(view, span, pixels)
  // New rows use the same buckets as the whole range.
  const stepped = { ...view, granularity: question.request.granularity ?? '' }
  const rowsOf = ({ kind, request }: Question, onRead = (_rows: number): void => undefined): Promise<RowTable> =>
    readRows(client.queryBytes(kind, request, 'ndjson'), onRead)
  const ask = (part: Span, isWhole: boolean): Promise<Part> =>
    askTags(view.tags, time, async (tags) => {
      const mine = { ...stepped, tags }
      const [table, ...edges] = await Promise.all([
        rowsOf(questionOf(mine, part, pixels), onRows),
        ...(isWhole ? edgesOf(mine, part, entity) : []).map((question) => rowsOf(question)),
      ])
      return { table: table!, edges }
    })
  let { table, edges, faults } = await ask(span, true)
  const ms = performance.now() - began
  onShown({ asked, view, kept, question, table, edges, faults, span, pixels, nowMs: Date.now(), ms })
  while (view.live && view.range !== '') {
    await new Promise((resolve) => setTimeout(resolve, liveEveryMs))
    signal.throwIfAborted()
    const { span: now } = overHours(asked, rangeOf(asked, Date.now())!, { pixels, entity })
    // Thinned items, and the newest ones, can only be queried for the whole range.
    const since = isBucketed(view.how) || view.how === 'select' ? newestMs(table, time) : null
    const fresh = await (since === null ? ask(now, true) : ask({ ...now, fromMs: Math.max(now.fromMs, since) }, false))
    table = since === null ? fresh.table : joined(table, fresh.table, time, since, now.fromMs)
    if (since === null) edges = fresh.edges
    faults = fresh.faults
    const question = questionOf(stepped, now, pixels)
    onShown({ asked, view, kept, question, table, edges, faults, span: now, pixels, nowMs: Date.now(), ms })
  }
}
