// The engine's side of the process: a composition root of its own, as the store's thread is.
import { mkdir, rm } from 'node:fs/promises'
import { DuckdbEngine } from '../engine/duckdb/duckdb-engine.ts'
import { LongOverflow, type SqlEngine } from '../engine/sql-engine.ts'
import { Problem } from '../model/problem.ts'
import { storeRows } from '../query/run-plan.ts'
import { clearSpool } from '../query/spool.ts'
import type { FromSqlProcess, SentFailure, SqlProcessData, SqlRun, ToSqlProcess } from './messages.ts'

/** How long the writing of one answer may hold up the others. */
const sliceMs = 5

type Send = (message: FromSqlProcess) => void

/** Answers the server's messages until it goes. */
export class QueryServer {
  readonly #send: Send
  readonly #running = new Map<number, AbortController>()
  #engine: SqlEngine | null = null
  #spoolDirectory = ''

  constructor(send: Send) {
    this.#send = send
  }

  async take(message: ToSqlProcess): Promise<void> {
    switch (message.kind) {
      case 'start':
        return this.#start(message)
      case 'cancel':
        this.#running.get(message.id)?.abort(new Error('the query was cancelled'))
        return
      case 'run':
        return this.#run(message)
    }
  }

  async #start({ engine, spoolDirectory }: SqlProcessData): Promise<void> {
    await clearSpool(spoolDirectory)
    // A process that was killed has left its own.
    await rm(engine.temporaryDirectory, { recursive: true, force: true })
    await mkdir(engine.temporaryDirectory, { recursive: true })
    this.#spoolDirectory = spoolDirectory
    this.#engine = await DuckdbEngine.open(engine)
    this.#send({ kind: 'ready' })
  }

  async #run({ id, ...run }: SqlRun & { readonly id: number }): Promise<void> {
    const controller = new AbortController()
    this.#running.set(id, controller)
    try {
      this.#send({ kind: 'answer', id, answer: await this.#answer(run, controller.signal) })
    } catch (error) {
      this.#send({ kind: 'failed', id, failure: sentFailure(error) })
    } finally {
      this.#running.delete(id)
    }
  }

  #answer({ query, fields, format, limits, room }: SqlRun, signal: AbortSignal) {
    if (this.#engine === null) throw new Error('a query came before the engine was started')
    const batches = this.#engine.run(query, limits, signal)
    const settings = { sliceMs, spoolDirectory: this.#spoolDirectory }
    return storeRows({ fields, batches }, { format, resultBytes: limits.resultBytes, room }, settings, signal)
  }
}

function sentFailure(error: unknown): SentFailure {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Problem) return { code: error.code, message, errors: error.errors, isOverflow: false }
  return { code: null, message, errors: undefined, isOverflow: error instanceof LongOverflow }
}
