// The queries that run now under an id of their callers', so that they can be canceled by it.
import type { CancelsElsewhere, NamedQuery } from '../catalog/cluster-catalog.ts'
import { Cancellation, type CancelSignal } from '../lib/cancellation.ts'
import { Problem } from '../model/problem.ts'
import { isQueryId } from './druid-context.ts'

interface Running {
  readonly readerId: string
  readonly cancellation: Cancellation
}

export class RunningQueries {
  readonly #byId = new Map<string, Set<Running>>()
  readonly #elsewhere: CancelsElsewhere | null

  /** `elsewhere` is for the other processes of a cluster; null where there are none. */
  constructor(elsewhere: CancelsElsewhere | null) {
    this.#elsewhere = elsewhere
    elsewhere?.listen((query) => this.#cancelHere(query))
  }

  /** Runs a query that ends when the signal is aborted, or when the same reader cancels it by its id: then with Problem `query_canceled`. */
  async run<Result>(
    id: string,
    readerId: string,
    signal: CancelSignal,
    query: (signal: CancelSignal) => Promise<Result>,
  ): Promise<Result> {
    const cancellation = new Cancellation()
    const running: Running = { readerId, cancellation }
    const same = this.#byId.get(id) ?? new Set()
    this.#byId.set(id, same.add(running))
    const ended = (): void => cancellation.cancel(signal.reason)
    if (signal.aborted) ended()
    signal.addEventListener('abort', ended, { once: true })
    try {
      return await query(cancellation)
    } finally {
      signal.removeEventListener('abort', ended)
      same.delete(running)
      if (same.size === 0) this.#byId.delete(id)
    }
  }

  /**
   * Cancels all queries of that id that the same reader asked, here or at another process; resolves whether there were any. Throws Problem `unavailable` where
   * there is none here and the others cannot be asked, and `overloaded`.
   */
  async cancel(query: NamedQuery): Promise<boolean> {
    if (!isQueryId(query.id)) return false
    const wasHere = this.#cancelHere(query)
    const wasElsewhere = this.#elsewhere?.cancel(query) ?? Promise.resolve(false)
    if (!wasHere) return wasElsewhere
    // Most often there is no second one; its caller may ask once more.
    wasElsewhere.catch(() => undefined)
    return true
  }

  #cancelHere({ id, readerId }: NamedQuery): boolean {
    const found = [...(this.#byId.get(id) ?? [])].filter((running) => running.readerId === readerId)
    for (const { cancellation } of found) cancellation.cancel(new Problem('query_canceled', 'The query was canceled.'))
    return found.length > 0
  }
}
