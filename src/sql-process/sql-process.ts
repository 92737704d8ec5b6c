import { type ChildProcess, fork } from 'node:child_process'
import { LongOverflow } from '../engine/sql-engine.ts'
import { Problem } from '../model/problem.ts'
import type { Answer } from '../query/query-runner.ts'
import type { UnsentAnswers } from '../query/unsent-answers.ts'
import type { FromSqlProcess, SentFailure, SqlProcessData, SqlRun, ToSqlProcess } from './messages.ts'

export interface SqlProcessOptions {
  /** The compiled `entry.js`, or what a test runs in its place. */
  readonly entryUrl: URL
  readonly data: SqlProcessData
  /** Threads for what the engine waits for: more than there are queries at once. */
  readonly poolThreads: number
  /** How long to wait before a process that died is started again. */
  readonly restartDelayMs: number
  readonly unsent: UnsentAnswers
  /** Told of a death that nobody asked for. */
  readonly died: (message: string) => void
}

interface Asked {
  readonly resolve: (message: FromSqlProcess) => void
  readonly reject: (error: unknown) => void
}

/** The server's side of the SQL engine's process: a query that brings it down takes nothing else with it. */
export class SqlProcess {
  readonly #options: SqlProcessOptions
  readonly #asked = new Map<number, Asked>()
  #child: ChildProcess | null = null
  #isReady = false
  #nextId = 1
  #restart: NodeJS.Timeout | null = null
  #isClosing = false

  private constructor(options: SqlProcessOptions) {
    this.#options = options
  }

  /** Resolves once queries are answered. Throws an Error when the first start fails. */
  static async start(options: SqlProcessOptions): Promise<SqlProcess> {
    const process = new SqlProcess(options)
    await process.#start()
    return process
  }

  /** Whether queries are answered now. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** For tests, which kill it. */
  get processId(): number | undefined {
    return this.#child?.pid
  }

  /**
   * Runs a query; settles when it has really ended. Throws the Problems of `SqlEngine.run`, LongOverflow, Problem `overloaded` when too much
   * waits to be sent and `unavailable` while the process is started again, and the signal's reason when it is aborted.
   */
  async run(run: Omit<SqlRun, 'room'>, signal: AbortSignal): Promise<Answer> {
    const { unsent } = this.#options
    const message = await this.#ask({ ...run, room: unsent.room() }, signal)
    if (message.kind !== 'answer') throw new Error(`the SQL engine answered a query with ${message.kind}`)
    return unsent.open(message.answer)
  }

  async close(): Promise<void> {
    this.#isClosing = true
    if (this.#restart !== null) clearTimeout(this.#restart)
    const child = this.#child
    if (child === null) return
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.disconnect()
    await exited
  }

  #start(): Promise<void> {
    const { entryUrl, data, poolThreads } = this.#options
    // Of the environment only what a process needs to run: no key of the server's is in it.
    const env = { PATH: process.env['PATH'] ?? '', TZ: 'UTC', UV_THREADPOOL_SIZE: String(poolThreads) }
    const stdio: ('ignore' | 'inherit' | 'ipc')[] = ['ignore', 'ignore', 'inherit', 'ipc']
    const child = fork(entryUrl, [], { env, execArgv: [], serialization: 'advanced', stdio })
    this.#child = child
    return new Promise((resolve, reject) => {
      child.on('message', (message: FromSqlProcess) => {
        if (message.kind !== 'ready') return this.#take(message)
        this.#isReady = true
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

  #ask(run: SqlRun, signal: AbortSignal): Promise<FromSqlProcess> {
    const child = this.#child
    if (!this.#isReady || child === null) throw away()
    signal.throwIfAborted()
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        if (child.connected) child.send({ kind: 'cancel', id } satisfies ToSqlProcess)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      this.#asked.set(id, {
        resolve: (message) => {
          signal.removeEventListener('abort', onAbort)
          resolve(message)
        },
        reject: (error) => {
          signal.removeEventListener('abort', onAbort)
          reject(signal.aborted ? signal.reason : error)
        },
      })
      child.send({ kind: 'run', id, ...run } satisfies ToSqlProcess)
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
