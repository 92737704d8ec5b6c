import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '../../answer/answer.ts'
import type { UnsentAnswers } from '../../answer/unsent-answers.ts'
import type { NativeRequest, NativeRunner } from '../../druid-native/native-queries.ts'
import type { SqlRequest, SqlRunner } from '../../druid-sql/sql-queries.ts'
import { timerMs } from '../../lib/timer.ts'
import { Problem } from '../../model/problem.ts'
import type { NativeRun, SqlProcessData, SqlRun } from '../protocol.ts'
import { CheckedFiles } from './checked-files.ts'
import { away, EngineLost, EngineProcess } from './engine-process.ts'
import type { Launch, LaunchOptions } from './launch.ts'
import { Turns } from './turns.ts'

export interface SqlProcessOptions extends LaunchOptions {
  readonly launch: Launch
  readonly data: SqlProcessData
  /** The same for a second process, which runs queries alone that were lost with the first. Its folders are others. */
  readonly apart: SqlProcessData
  /** How long to wait before a process that died is started again. */
  readonly restartDelayMs: number
  /** How long a query that was aborted may go on before the process is ended for it. */
  readonly cancelMs: number
  readonly unsent: UnsentAnswers
  /** Told when queries are answered, and how long the start took. */
  readonly started: (processId: number, ms: number) => void
  /** Told of a death that nobody asked for. */
  readonly died: (message: string) => void
  /** Told what the engine said of a query that was refused in general words. */
  readonly refused: (message: string) => void
}

/** `idle` until the first query starts the process. */
export type SqlProcessState = 'idle' | 'starting' | 'ready'

/** How often a query is run again beside others, when the process was ended for another one. */
const repeatsMax = 2

/** How long a query may run alone while others wait for that. */
const firstTurnMs = 500

type Run = Omit<SqlRun, 'room'> | Omit<NativeRun, 'room'>

/**
 * The server's side of the SQL engine's process: a query that brings it down takes nothing else with it. The queries that were under way
 * then, or found no memory beside others, are run again, each alone in a process that nobody else uses: what one of them does shows there.
 */
export class SqlProcess implements SqlRunner, NativeRunner {
  readonly #options: SqlProcessOptions
  readonly #apartTurns = new Turns()
  readonly #checkedFiles = new CheckedFiles()
  readonly #closing = new AbortController()
  #engine: EngineProcess | null = null
  /** Set while an engine is started, or waits to be. */
  #starting: Promise<EngineProcess> | null = null
  #hasBegun = false
  #apart: EngineProcess | null = null

  constructor(options: SqlProcessOptions) {
    this.#options = options
  }

  get state(): SqlProcessState {
    return this.#engine !== null ? 'ready' : this.#hasBegun ? 'starting' : 'idle'
  }

  /** For tests, which kill it. */
  get processId(): number | undefined {
    return this.#engine?.processId
  }

  /**
   * Runs a query, and starts the process when it is the first; settles when it has really ended. Throws the Problems of `SqlEngine.run`, LongOverflow, Problem `overloaded` when too much
   * waits to be sent and `unavailable` while the process cannot be started, and the signal's reason when it is aborted.
   */
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer> {
    return this.#answer({ kind: 'run', ...request }, signal)
  }

  /** As `run`, but for LongOverflow: the Problems are those of `runNative`. */
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer> {
    return this.#answer({ kind: 'native', ...request }, signal)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#apart?.kill('closed')
    await this.#starting?.catch(() => undefined)
    await this.#engine?.close()
  }

  async #answer(run: Run, signal: AbortSignal): Promise<Answer> {
    for (let repeats = 0; ; repeats++) {
      const engine = await this.#current(signal)
      const startedMs = performance.now()
      try {
        return await this.#ask(engine, run, signal)
      } catch (error) {
        if (!(error instanceof EngineLost)) throw error
        if (this.#closing.signal.aborted) throw error.problem
        if (error.end !== 'cancelled' || repeats === repeatsMax)
          return this.#alone(run, signal, performance.now() - startedMs)
      }
    }
  }

  /**
   * One that takes long makes room for others that wait, and begins again with more time. Who ran but a moment when all was lost comes first: it is
   * as likely to be done in a moment.
   */
  async #alone(run: Run, signal: AbortSignal, ranMs: number): Promise<Answer> {
    let hadMs = ranMs
    for (let turnMs = firstTurnMs; ; turnMs *= 2) {
      const startedMs = performance.now()
      const answer = await this.#apartTurns.run({ signal, hadMs, turnMs }, (turn) =>
        this.#answerApart(run, signal, turn),
      )
      if (answer !== null) return answer
      hadMs += performance.now() - startedMs
    }
  }

  /** Null when it made room. A process of its own for each: what the query before it did to its own is gone. */
  async #answerApart(run: Run, signal: AbortSignal, turn: AbortSignal): Promise<Answer | null> {
    const engine = this.#launch(this.#options.apart)
    this.#apart = engine
    turn.addEventListener('abort', () => engine.kill('closed'), { once: true })
    try {
      if (this.#closing.signal.aborted) throw away()
      await inTime(engine.ready, signal).catch(() => {
        if (turn.aborted) throw new EngineLost('closed', away())
        throw signal.aborted ? signal.reason : away()
      })
      return await this.#ask(engine, run, signal)
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error
      if (turn.aborted && error.end === 'closed') return null
      throw error.end === 'died' ? bringsDown() : error.problem
    } finally {
      this.#apart = null
      engine.kill('closed')
      await engine.ended
    }
  }

  async #ask(engine: EngineProcess, run: Run, signal: AbortSignal): Promise<Answer> {
    const { unsent, refused } = this.#options
    try {
      return unsent.open(await engine.ask({ ...this.#checkedFiles.known(run), room: unsent.room() }, signal))
    } catch (error) {
      if (error instanceof Problem && error.cause instanceof Error) refused(error.cause.message)
      throw error
    }
  }

  /** One that is started again is waited for. */
  async #current(signal: AbortSignal): Promise<EngineProcess> {
    if (this.#engine !== null) return this.#engine
    if (!this.#hasBegun) this.#begin(0)
    if (this.#starting === null) throw away()
    return inTime(this.#starting, signal)
  }

  #begin(delayMs: number): void {
    if (this.#closing.signal.aborted) return
    this.#hasBegun = true
    this.#starting = this.#start(delayMs).finally(() => {
      this.#starting = null
    })
    // One that fails is tried again, but not at once: the next try is as likely to fail.
    this.#starting.catch(() => this.#beginLater())
  }

  #beginLater(): void {
    const delayMs = timerMs(this.#options.restartDelayMs * 10)
    const again = (): void => this.#begin(0)
    sleep(delayMs, undefined, { signal: this.#closing.signal }).then(again, () => undefined)
  }

  async #start(delayMs: number): Promise<EngineProcess> {
    const { signal } = this.#closing
    await sleep(delayMs, undefined, { signal }).catch(() => {
      throw away()
    })
    const startedMs = performance.now()
    const engine = this.#launch(this.#options.data)
    const stop = (): void => engine.kill('closed')
    signal.addEventListener('abort', stop, { once: true })
    try {
      await engine.ready
    } catch (error) {
      if (!signal.aborted) this.#options.died(messageOf(error))
      throw away()
    } finally {
      signal.removeEventListener('abort', stop)
    }
    this.#engine = engine
    this.#options.started(engine.processId ?? 0, performance.now() - startedMs)
    void engine.ended.then((reason) => this.#died(reason))
    return engine
  }

  #launch(data: SqlProcessData): EngineProcess {
    const { launch, cancelMs } = this.#options
    try {
      return new EngineProcess(launch(this.#options), data, cancelMs, (path) => this.#checkedFiles.add(path))
    } catch (error) {
      this.#options.died(`the SQL engine's process could not be started: ${messageOf(error)}`)
      throw away()
    }
  }

  #died(reason: string): void {
    this.#engine = null
    if (this.#closing.signal.aborted) return
    this.#options.died(reason)
    this.#begin(this.#options.restartDelayMs)
  }
}

function bringsDown(): Problem {
  return new Problem(
    'result_too_large',
    'The query ends the SQL engine, also when it runs alone: it needs more memory than there is, or meets a fault of the engine. Ask for less, or write it in another way.',
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What a promise resolves with, unless the signal is aborted before. */
function inTime<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
