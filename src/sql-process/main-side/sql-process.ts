import type { UnsentAnswers } from '../../answer/unsent-answers.ts'
import type { Answer } from '../../answer/whole-answer.ts'
import type { NativeRequest, NativeRunner } from '../../druid-native/native-on-one-machine.ts'
import type { SqlRequest, SqlRunner } from '../../druid-sql/sql-language.ts'
import { Actor, type GenerationEvents } from '../../lib/actor/actor.ts'
import { messageOf } from '../../lib/message-of.ts'
import { systemTimer, timerMs } from '../../lib/timer.ts'
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
  /** How long to wait at first before a process that died is started again. */
  readonly restartDelayMs: number
  /** How long the process lives on without a query. */
  readonly idleMs: number
  /** How long a query that was aborted may go on before the process is ended for it. */
  readonly cancelMs: number
  readonly unsent: UnsentAnswers
  /** Told when queries are answered, and how long the start took. */
  readonly started: (processId: number, ms: number) => void
  /** Told of a death that nobody asked for, and when it is started again. */
  readonly died: (message: string, restartInMs: number) => void
  /** Told what the engine said of a query that was refused in general words. */
  readonly refused: (message: string) => void
}

/** `idle` until a query starts the process, and again once none has come for long. */
export type SqlProcessState = 'idle' | 'starting' | 'ready'

/** How often a query is run again beside others, when the process was ended for another one. */
const repeatsMax = 2

/** How long a query may run alone while others wait for that. */
const firstTurnMs = 500

type Run = Omit<SqlRun, 'budget'> | Omit<NativeRun, 'budget'>

/**
 * The server's side of the SQL engine's process. A query that brings the process down takes nothing else with it. Queries that were under way then, or
 * found no memory beside others, are run again, each alone in a process that nobody else uses. There it shows what each of them does.
 */
export class SqlProcess implements SqlRunner, NativeRunner {
  readonly #options: SqlProcessOptions
  readonly #apartTurns = new Turns()
  readonly #checkedFiles = new CheckedFiles()
  readonly #actor: Actor<EngineProcess>
  #apart: EngineProcess | null = null
  #running = 0
  #stopIdling: () => void = () => undefined

  constructor(options: SqlProcessOptions) {
    this.#options = options
    const { restartDelayMs, died } = options
    this.#actor = new Actor({
      begin: (events) => this.#begin(events),
      next: () => 'later',
      died: (reason, restartInMs) => died(messageOf(reason), restartInMs),
      restartDelayMs,
    })
  }

  get state(): SqlProcessState {
    const { state } = this.#actor
    return state === 'idle' || state === 'ready' ? state : 'starting'
  }

  /** For tests, which kill it. */
  get processId(): number | undefined {
    return this.#actor.ready?.processId
  }

  /**
   * Runs a query, and starts the process for the first one; settles when the query has really ended. Throws what `SqlEngine.run` throws, LongOverflow,
   * Problem `overloaded` when too much waits to be sent, and `unavailable` while the process cannot be started.
   */
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer> {
    return this.#whileBusy(() => this.#answer({ kind: 'run', ...request }, signal))
  }

  /** As `run`, but for LongOverflow: the Problems are those of `runNative`. */
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer> {
    return this.#whileBusy(() => this.#answer({ kind: 'native', ...request }, signal))
  }

  async close(): Promise<void> {
    this.#stopIdling()
    this.#apart?.kill('closed')
    if (this.#actor.ready === null) this.#actor.generation?.kill('closed')
    await this.#actor.close()
  }

  /** The process ends, and its memory is free, when no query has run for a while. */
  async #whileBusy(answer: () => Promise<Answer>): Promise<Answer> {
    this.#stopIdling()
    this.#running++
    try {
      return await answer()
    } finally {
      if (--this.#running === 0 && !this.#isClosed)
        this.#stopIdling = systemTimer(() => this.#actor.retire(), timerMs(this.#options.idleMs))
    }
  }

  async #answer(run: Run, signal: AbortSignal): Promise<Answer> {
    for (let repeats = 0; ; repeats++) {
      const engine = await this.#current(signal)
      const startedMs = performance.now()
      try {
        return await this.#ask(engine, run, signal)
      } catch (error) {
        if (!(error instanceof EngineLost)) throw error
        if (this.#isClosed) throw error.problem
        if (error.end !== 'cancelled' || repeats === repeatsMax)
          return this.#alone(run, signal, performance.now() - startedMs)
      }
    }
  }

  /**
   * A query that takes long makes room for others that wait, and begins again with more time. One that had run for a moment only when all was lost
   * comes first: it is likely to be done in a moment.
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
    const { apart, died, restartDelayMs } = this.#options
    if (this.#isClosed) throw away()
    const begin = (events: GenerationEvents): EngineProcess => {
      try {
        return this.#launch(apart, events)
      } catch (error) {
        died(messageOf(error), restartDelayMs)
        throw error
      }
    }
    const actor = new Actor({
      begin,
      next: () => 'never',
      died: () => undefined,
      restartDelayMs,
    })
    actor.start()
    const engine = actor.generation
    this.#apart = engine
    turn.addEventListener('abort', () => engine?.kill('closed'), { once: true })
    try {
      await actor.whenReady(signal).catch(() => {
        if (turn.aborted) throw new EngineLost('closed', away())
        throw signal.aborted ? signal.reason : away()
      })
      return await this.#ask(engine!, run, signal)
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error
      if (turn.aborted && error.end === 'closed') return null
      throw error.end === 'died' ? bringsDown() : error.problem
    } finally {
      this.#apart = null
      engine?.kill('closed')
      await actor.close()
    }
  }

  async #ask(engine: EngineProcess, run: Run, signal: AbortSignal): Promise<Answer> {
    const { unsent, refused } = this.#options
    try {
      return unsent.open(await engine.ask({ ...this.#checkedFiles.known(run), budget: unsent.budget() }, signal))
    } catch (error) {
      if (error instanceof Problem && error.cause instanceof Error) refused(error.cause.message)
      throw error
    }
  }

  /** One that is started again is waited for. */
  async #current(signal: AbortSignal): Promise<EngineProcess> {
    this.#actor.start()
    return this.#actor.whenReady(signal).catch(() => {
      throw signal.aborted ? signal.reason : away()
    })
  }

  get #isClosed(): boolean {
    return this.#actor.state === 'closed'
  }

  #begin(events: GenerationEvents): EngineProcess {
    const { data, started } = this.#options
    const startedMs = performance.now()
    const engine = this.#launch(data, {
      ready: () => {
        events.ready()
        started(engine.processId ?? 0, performance.now() - startedMs)
      },
      ended: events.ended,
    })
    return engine
  }

  #launch(data: SqlProcessData, events: GenerationEvents): EngineProcess {
    const { launch, cancelMs } = this.#options
    try {
      return new EngineProcess(launch(this.#options), data, cancelMs, {
        ...events,
        checked: (path) => this.#checkedFiles.add(path),
      })
    } catch (error) {
      throw new Error(`the SQL engine's process could not be started: ${messageOf(error)}`)
    }
  }
}

function bringsDown(): Problem {
  return new Problem(
    'result_too_large',
    'The query ends the SQL engine, also when it runs alone: it needs more memory than there is, or meets a fault of the engine. Ask for less, or write it in another way.',
  )
}
