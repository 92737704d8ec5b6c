import { type ChildProcess, fork } from 'node:child_process'
import { LongOverflow } from '../engine/sql-engine.ts'
import { Problem } from '../model/problem.ts'
import type { NativeRequest, NativeRunner } from '../query/native-queries.ts'
import type { Answer } from '../query/query-runner.ts'
import type { SqlRequest, SqlRunner } from '../query/sql-queries.ts'
import type { UnsentAnswers } from '../query/unsent-answers.ts'
import type { FromSqlProcess, NativeRun, SentFailure, SqlProcessData, SqlRun, ToSqlProcess } from './messages.ts'

export interface SqlProcessOptions {
  /** The compiled `entry.js`, or what a test runs in its place. */
  readonly entryUrl: URL
  readonly data: SqlProcessData
  /** Threads for what the engine waits for: more than there are queries at once. */
  readonly poolThreads: number
  /** How long to wait before a process that died is started again. */
  readonly restartDelayMs: number
  /** How long a query that was aborted may go on before the process is ended for it. */
  readonly cancelMs: number
  readonly unsent: UnsentAnswers
  /** Told when queries are answered, and how long the start took. */
  readonly started: (processId: number, ms: number) => void
  /** Told of a death that nobody asked for. */
  readonly died: (message: string) => void
}

/** `idle` until the first query starts the process. */
export type SqlProcessState = 'idle' | 'starting' | 'ready'

/** How long the process may take to end when it is asked to. */
const closeMs = 1000

interface Asked {
  readonly resolve: (message: FromSqlProcess) => void
  readonly reject: (error: unknown) => void
}

/** The server's side of the SQL engine's process: a query that brings it down takes nothing else with it. */
export class SqlProcess implements SqlRunner, NativeRunner {
  readonly #options: SqlProcessOptions
  readonly #asked = new Map<number, Asked>()
  #child: ChildProcess | null = null
  #isReady = false
  #first: Promise<void> | null = null
  #isFirstOver = false
  #nextId = 1
  #restart: NodeJS.Timeout | null = null
  #isClosing = false

  constructor(options: SqlProcessOptions) {
    this.#options = options
  }

  get state(): SqlProcessState {
    return this.#isReady ? 'ready' : this.#first === null ? 'idle' : 'starting'
  }

  /** For tests, which kill it. */
  get processId(): number | undefined {
    return this.#child?.pid
  }

  /**
   * Runs a query, and starts the process when it is the first; settles when it has really ended. Throws the Problems of `SqlEngine.run`, LongOverflow, Problem `overloaded` when too much
   * waits to be sent and `unavailable` while the process is started again, and the signal's reason when it is aborted.
   */
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer> {
    return this.#answer({ kind: 'run', ...request, room: this.#options.unsent.room() }, signal)
  }

  /** As `run`, but for LongOverflow: the Problems are those of `runNative`. */
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer> {
    return this.#answer({ kind: 'native', ...request, room: this.#options.unsent.room() }, signal)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#restart !== null) clearTimeout(this.#restart)
    const child = this.#child
    if (child === null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    if (child.connected) child.disconnect()
    const kill = setTimeout(() => child.kill('SIGKILL'), closeMs)
    await exited
    clearTimeout(kill)
  }

  async #answer(run: SqlRun | NativeRun, signal: AbortSignal): Promise<Answer> {
    if (!this.#isFirstOver) await this.#startFirst()
    const message = await this.#ask(run, signal)
    if (message.kind !== 'answer') throw new Error(`the SQL engine answered a query with ${message.kind}`)
    return this.#options.unsent.open(message.answer)
  }

  /** A first start that fails is tried again as any later one. */
  async #startFirst(): Promise<void> {
    this.#first ??= this.#start()
      .catch(() => undefined)
      .finally(() => {
        this.#isFirstOver = true
      })
    await this.#first
  }

  #start(): Promise<void> {
    const { entryUrl, data, poolThreads, started } = this.#options
    const startedMs = performance.now()
    // Of the environment only what a process needs to run: no key of the server's is in it.
    const env = { PATH: process.env['PATH'] ?? '', TZ: 'UTC', UV_THREADPOOL_SIZE: String(poolThreads) }
    const stdio: ('ignore' | 'inherit' | 'ipc')[] = ['ignore', 'ignore', 'inherit', 'ipc']
    const child = fork(entryUrl, [], { env, execArgv: [], serialization: 'advanced', stdio })
    this.#child = child
    return new Promise((resolve, reject) => {
      child.on('message', (message: FromSqlProcess) => {
        if (message.kind !== 'ready') return this.#take(message)
        this.#isReady = true
        started(child.pid ?? 0, performance.now() - startedMs)
        resolve()
      })
      child.once('error', reject)
      child.once('exit', (code, signalName) => {
        const failure = `the SQL engine's process ended with ${signalName ?? code}`
        reject(new Error(failure))
        this.#died(failure)
      })
      child.send({ kind: 'start', ...data } satisfies ToSqlProcess)
    })
  }

  #died(message: string): void {
    this.#child = null
    const wasReady = this.#isReady
    this.#isReady = false
    for (const { reject } of this.#asked.values()) reject(away())
    this.#asked.clear()
    if (this.#isClosing) return
    this.#options.died(message)
    // One that never became ready was not started by a query: the next try is as likely to fail, but costs little.
    this.#restart = setTimeout(
      () => this.#start().catch(() => undefined),
      wasReady ? this.#options.restartDelayMs : this.#options.restartDelayMs * 10,
    )
  }

  #take(message: Exclude<FromSqlProcess, { kind: 'ready' }>): void {
    const asked = this.#asked.get(message.id)
    this.#asked.delete(message.id)
    if (message.kind === 'failed') asked?.reject(received(message.failure))
    else asked?.resolve(message)
  }

  #ask(run: SqlRun | NativeRun, signal: AbortSignal): Promise<FromSqlProcess> {
    const child = this.#child
    if (!this.#isReady || child === null) throw away()
    signal.throwIfAborted()
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      let kill: NodeJS.Timeout | undefined
      const onAbort = (): void => {
        if (child.connected) child.send({ kind: 'cancel', id } satisfies ToSqlProcess)
        // Not all of the engine's work looks up to see that it is to end.
        kill = setTimeout(() => child.kill('SIGKILL'), this.#options.cancelMs)
      }
      const settled = (): void => {
        signal.removeEventListener('abort', onAbort)
        clearTimeout(kill)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#asked.set(id, {
        resolve: (message) => {
          settled()
          resolve(message)
        },
        reject: (error) => {
          settled()
          reject(signal.aborted ? signal.reason : error)
        },
      })
      child.send({ id, ...run } satisfies ToSqlProcess)
    })
  }
}

function away(): Problem {
  return new Problem(
    'unavailable',
    'The SQL engine is being started again; all else is answered meanwhile. Ask again in a moment.',
  )
}

function received({ code, message, errors, isOverflow }: SentFailure): Error {
  if (isOverflow) return new LongOverflow()
  if (code !== null) return new Problem(code, message, errors === undefined ? {} : { errors })
  return new Error(message)
}
