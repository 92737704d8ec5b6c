// The store's thread: follows the journal through the pipeline into the store, and answers plans between two steps of it.
// It is a composition root of its own, as app.ts is for the main thread.
import type { MessagePort } from 'node:worker_threads'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { Judge } from '../ingest/judge.ts'
import { ItemJudge } from '../ingest/judge-items.ts'
import { Pipeline } from '../ingest/pipeline.ts'
import { openFileJournalReader } from '../journal/file/reader.ts'
import type { JournalReader } from '../journal/journal.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { Problem } from '../model/problem.ts'
import { runPlan } from '../query/run-plan.ts'
import { clearSpool } from '../query/spool.ts'
import { EmbeddedStore } from '../store/embedded/embedded-store.ts'
import type { SeriesReader } from '../store/series-store.ts'
import type { FromStore, SentError, StoreThreadData, ToStore } from './messages.ts'

/** Parts that a test may put in place of the real ones. */
export interface StoreThreadOverrides {
  readonly wrapJournal?: (journal: JournalReader) => JournalReader
}

export async function runStoreThread(
  port: MessagePort,
  data: StoreThreadData,
  overrides: StoreThreadOverrides = {},
): Promise<void> {
  const catalog = await openSqliteCatalog({ path: data.catalogPath })
  const reader = openFileJournalReader({ disk: nodeDisk, directory: data.journalDirectory })
  const journal = overrides.wrapJournal?.(reader) ?? reader
  const store = new EmbeddedStore({ generationRows: data.generationRows })
  const send = (message: FromStore): void => port.postMessage(message)
  const pipeline = await Pipeline.open({
    journal,
    ingests: catalog.ingests,
    outcomes: catalog.outcomes,
    judge: new Judge({ rowBytes: data.rowBytes }),
    itemJudge: new ItemJudge({ rowBytes: data.rowBytes }),
    store,
    observe: (event) => send({ kind: 'event', event }),
    stepBytes: data.stepBytes,
  })
  const follower = new Follower(pipeline, data.durablePosition, send)
  await clearSpool(data.spoolDirectory)
  const asks = new Asks(store, data.spoolDirectory, port)
  port.on('message', (message: ToStore) => {
    if (message.kind === 'durable') follower.durable(message.position)
    else if (message.kind === 'close') follower.stop()
    else asks.take(message)
  })
  await follower.follow()
  await journal.close()
  await catalog.close()
  port.close()
}

/** Judges whatever the journal holds, as soon as it holds it. */
class Follower {
  readonly #pipeline: Pipeline
  readonly #send: (message: FromStore) => void
  #durablePosition: number
  #stopped = false
  #wake: (() => void) | null = null

  constructor(pipeline: Pipeline, durablePosition: number, send: (message: FromStore) => void) {
    this.#pipeline = pipeline
    this.#durablePosition = durablePosition
    this.#send = send
  }

  durable(position: number): void {
    this.#durablePosition = position
    this.#wake?.()
  }

  stop(): void {
    this.#stopped = true
    this.#wake?.()
  }

  async follow(): Promise<void> {
    const readyPosition = this.#durablePosition
    for (let ready = false; !this.#stopped; ) {
      if (!ready && this.#pipeline.position >= readyPosition) {
        ready = true
        this.#send({ kind: 'ready' })
      }
      if (this.#pipeline.position >= this.#durablePosition) await this.#news()
      else await this.#step()
    }
  }

  async #step(): Promise<void> {
    const tallies = await this.#pipeline.advance(this.#durablePosition)
    this.#send({ kind: 'progress', position: this.#pipeline.position, tallies })
    // Questions that came meanwhile are answered before the next step.
    await new Promise((resolve) => setImmediate(resolve))
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null
        resolve()
      }
    })
  }
}

type Ask = Extract<ToStore, { id: number }>

/** How long the writing of an answer may hold up the others. */
const sliceMs = 5

/** Answers what the main thread asks; each question may be cancelled. */
class Asks {
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
      this.#send({ kind: 'statistics', id: ask.id, statistics: await this.#store.statistics(ask.entityId) })
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
