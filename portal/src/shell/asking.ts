// Queries the service, shows the last result, and queries again when the service returns after an outage.
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { TidemarkClient } from '../../../src/client/client.ts'
import { ConnectionError } from '../../../src/client/service-error.ts'
import { clientOf } from '../session/session.ts'
import { markUnreachable, reconnects } from './reach.ts'
import { useStore } from './store.ts'

export interface QueryState<T> {
  /** The last successful result. It stays while the next query runs, and if that fails. */
  readonly value: T | null
  readonly error: unknown
  readonly busy: boolean
  again(): void
}

interface Options {
  /** Repeats the query this long after each response. */
  readonly everyMs?: number
  readonly skip?: boolean
}

interface State<T> {
  readonly value: T | null
  readonly error: unknown
  readonly busy: boolean
}

/** Calls `ask` again when `by` changes: the result for other values is discarded, and a query in progress is aborted. */
export function useQuery<T>(
  ask: (client: TidemarkClient, signal: AbortSignal) => Promise<T>,
  by: readonly unknown[],
  { everyMs, skip = false }: Options = {},
): QueryState<T> {
  const [state, show] = useState<State<T>>({ value: null, error: null, busy: !skip })
  const [round, nextRound] = useState(0)
  const returns = useStore(reconnects)
  const words = JSON.stringify(by)
  const asked = useRef(words)
  const latest = useRef(ask)
  latest.current = ask
  useEffect(() => {
    if (skip) return
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const isSame = asked.current === words
    asked.current = words
    show(({ value }) => ({ value: isSame ? value : null, error: null, busy: true }))
    const run = async (): Promise<void> => {
      try {
        const value = await latest.current(clientOf(stop.signal), stop.signal)
        if (!stop.signal.aborted) show({ value, error: null, busy: false })
      } catch (error) {
        if (stop.signal.aborted) return
        if (error instanceof ConnectionError) markUnreachable()
        show(({ value }) => ({ value, error, busy: false }))
      }
      if (everyMs !== undefined && !stop.signal.aborted) timer = setTimeout(() => void run(), everyMs)
    }
    void run()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [words, round, returns, skip, everyMs])
  const again = useCallback(() => nextRound((count) => count + 1), [])
  return { ...state, again }
}

export interface ActionState {
  readonly busy: boolean
  readonly error: unknown
  /** Runs one action at a time; resolves with whether it succeeded. */
  run(deed: (signal: AbortSignal) => Promise<void>): Promise<boolean>
  stop(): void
  clear(): void
}

/** An action that the user starts and can stop. */
export function useAction(): ActionState {
  const [state, show] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null })
  const control = useRef<AbortController | null>(null)
  useEffect(() => () => control.current?.abort(), [])
  const run = async (deed: (signal: AbortSignal) => Promise<void>): Promise<boolean> => {
    if (control.current !== null) return false
    const mine = new AbortController()
    control.current = mine
    show({ busy: true, error: null })
    try {
      await deed(mine.signal)
      show({ busy: false, error: null })
      return true
    } catch (error) {
      if (error instanceof ConnectionError && !mine.signal.aborted) markUnreachable()
      show({ busy: false, error: mine.signal.aborted ? null : error })
      return false
    } finally {
      control.current = null
    }
  }
  return { ...state, run, stop: () => control.current?.abort(), clear: () => show({ busy: false, error: null }) }
}
