// The queries that run now under an id of their callers', so that they can be canceled by it.
import { Problem } from '../model/problem.ts'

interface Running {
  readonly readerId: string
  readonly controller: AbortController
}

export class RunningQueries {
  readonly #byId = new Map<string, Set<Running>>()

  /** Runs a query that ends when the signal is aborted, or when the same reader cancels it by its id: then with Problem `query_canceled`. */
  async run<Result>(
    id: string,
    readerId: string,
    signal: AbortSignal,
    query: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController()
    const running: Running = { readerId, controller }
    const same = this.#byId.get(id) ?? new Set()
    this.#byId.set(id, same.add(running))
    try {
      return await query(AbortSignal.any([signal, controller.signal]))
    } finally {
      same.delete(running)
      if (same.size === 0) this.#byId.delete(id)
    }
  }

  /** Cancels all queries of that id that the same reader asked; returns whether there were any. */
  cancel(id: string, readerId: string): boolean {
    const found = [...(this.#byId.get(id) ?? [])].filter((running) => running.readerId === readerId)
    for (const { controller } of found) controller.abort(new Problem('query_canceled', 'The query was canceled.'))
    return found.length > 0
  }
}
