// The queries that currently run under an id chosen by their caller, so that they can be canceled by it.
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

  /** `elsewhere` cancels queries in other processes of a cluster; null on one machine. */
  constructor(elsewhere: CancelsElsewhere | null) {
    this.#elsewhere = elsewhere
    elsewhere?.listen((query) => this.#cancelHere(query))
  }

  /** Runs a query until the signal is aborted, or until the same reader cancels it by its id, which ends it with Problem `query_canceled`. */
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
   * Cancels all queries with this id by the same reader, in this process or another one; returns whether there were any. If there is none here, throws Problem
   * `unavailable` when the other processes cannot be reached, and `overloaded`.
   */
  async cancel(query: NamedQuery): Promise<boolean> {
    if (!isQueryId(query.id)) return false
    const wasHere = this.#cancelHere(query)
    const wasElsewhere = this.#elsewhere?.cancel(query) ?? Promise.resolve(false)
    if (!wasHere) return wasElsewhere
    // Usually there is no second query; otherwise the caller can retry.
    wasElsewhere.catch(() => undefined)
    return true
  }

  #cancelHere({ id, readerId }: NamedQuery): boolean {
    const found = [...(this.#byId.get(id) ?? [])].filter((running) => running.readerId === readerId)
    for (const { cancellation } of found) cancellation.cancel(new Problem('query_canceled', 'The query was canceled.'))
    return found.length > 0
  }
}
