import type { MessagePort } from 'node:worker_threads'
import { Problem } from '../model/problem.ts'
import { runPlan } from '../query/run-plan.ts'
import type { SeriesReader } from '../store/series-store.ts'
import type { FromStore, SentError, ToStore } from './messages.ts'

export type Ask = Extract<ToStore, { kind: 'run' | 'statistics' | 'cancel' }>

/** How long the writing of an answer may hold up the others. */
const sliceMs = 2

/** Answers what the main thread asks; each question may be cancelled. */
export class Asks {
  readonly #store: SeriesReader
  readonly #spoolDirectory: string
  readonly #port: MessagePort
  readonly #running = new Map<number, AbortController>()

  constructor(store: SeriesReader, spoolDirectory: string, port: MessagePort) {
    this.#store = store
    this.#spoolDirectory = spoolDirectory
    this.#port = port
  }

  take(ask: Ask): void {
    if (ask.kind === 'cancel') {
      this.#running.get(ask.id)?.abort()
      return
    }
    const controller = new AbortController()
    this.#running.set(ask.id, controller)
    this.#answer(ask, controller.signal)
      .catch((error: unknown) => this.#send({ kind: 'failed', id: ask.id, error: sentError(error) }))
      .finally(() => this.#running.delete(ask.id))
  }

  async #answer(ask: Exclude<Ask, { kind: 'cancel' }>, signal: AbortSignal): Promise<void> {
    if (ask.kind === 'statistics') {
      this.#send({
        kind: 'statistics',
        id: ask.id,
        statistics: await this.#store.statistics(ask.entityId, ask.sinceMs),
      })
      return
    }
    const answer = await runPlan(this.#store, ask, { sliceMs, spoolDirectory: this.#spoolDirectory }, signal)
    const { body } = answer
    this.#send(
      { kind: 'answer', id: ask.id, answer },
      body.kind === 'memory' ? body.chunks.map((chunk) => chunk.buffer) : [],
    )
  }

  #send(message: FromStore, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer)
  }
}

function sentError(error: unknown): SentError {
  if (error instanceof Problem) {
    return { code: error.code, message: error.message, stack: error.stack, errors: error.errors }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { code: null, message, stack, errors: undefined }
}
