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
import { EngineLost, EngineProcess, engineUnavailable } from './engine-process.ts'
import type { Launch, LaunchOptions } from './launch.ts'
import { Turns } from './turns.ts'

export interface SqlProcessOptions extends LaunchOptions {
  readonly launch: Launch
  readonly data: SqlProcessData
  /** Start data of the second process, which reruns queries that were lost with the first one, each alone. Its folders are different. */
  readonly apart: SqlProcessData
  /** The first delay before a process that died is restarted. */
  readonly restartDelayMs: number
  /** How long the process stays alive without a query. */
  readonly idleMs: number
  /** How long an aborted query may continue before the process is killed. */
  readonly cancelMs: number
  readonly unsent: UnsentAnswers
  /** Called when the process is ready for queries, with the duration of the start. */
  readonly started: (processId: number, ms: number) => void
  /** Called when the process dies unexpectedly, with the delay until its restart. */
  readonly died: (message: string, restartInMs: number) => void
  /** Called with the engine's own message for a query that was refused in general terms. */
  readonly refused: (message: string) => void
}

/** `idle` until a query starts the process, and again after a long time without one. */
export type SqlProcessState = 'idle' | 'starting' | 'ready'

/** How often a query is run again next to others after the process was killed because of another query. */
const repeatsMax = 2

/** The first time slice of a query that runs alone while others wait. */
const firstTurnMs = 500

type Run = Omit<SqlRun, 'budget'> | Omit<NativeRun, 'budget'>

/**
 * The server's side of the SQL engine's process. A query that brings the process down affects nothing else. Queries that were running at that time,
 * or ran out of memory next to others, are run again, each alone in a process of its own. This shows which of them is at fault.
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

  /** For tests that kill the process. */
  get processId(): number | undefined {
    return this.#actor.ready?.processId
  }

  /**
   * Runs a query, starting the process for the first one. Settles only after the query has really ended. Throws what `SqlEngine.run` throws, LongOverflow,
   * Problem `overloaded` when too much data is waiting to be sent, and `unavailable` while the process cannot be started.
   */
  run(request: SqlRequest, signal: AbortSignal): Promise<Answer> {
    return this.#whileBusy(() => this.#answer({ kind: 'run', ...request }, signal))
  }

  /** Like `run`, but without LongOverflow; the Problems are those of `runNative`. */
  runNative(request: NativeRequest, signal: AbortSignal): Promise<Answer> {
    return this.#whileBusy(() => this.#answer({ kind: 'native', ...request }, signal))
  }

  async close(): Promise<void> {
    this.#stopIdling()
    this.#apart?.kill('closed')
    if (this.#actor.ready === null) this.#actor.generation?.kill('closed')
    await this.#actor.close()
  }

  /** After some time without a query, the process ends and frees its memory. */
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
   * A long query yields to others that wait, and restarts with a longer time slice. A query that had run only briefly when the process was lost goes
   * first: it is likely to finish soon.
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

  /** Null when the query yielded. Each query has its own process, so the damage done by an earlier one is gone. */
  async #answerApart(run: Run, signal: AbortSignal, turn: AbortSignal): Promise<Answer | null> {
    const { apart, died, restartDelayMs } = this.#options
    if (this.#isClosed) throw engineUnavailable()
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
        if (turn.aborted) throw new EngineLost('closed', engineUnavailable())
        throw signal.aborted ? signal.reason : engineUnavailable()
      })
      return await this.#ask(engine!, run, signal)
    } catch (error) {
      if (!(error instanceof EngineLost)) throw error
      if (turn.aborted && error.end === 'closed') return null
      throw error.end === 'died' ? endsEngine() : error.problem
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

  /** Waits for a process that is being restarted. */
  async #current(signal: AbortSignal): Promise<EngineProcess> {
    this.#actor.start()
    return this.#actor.whenReady(signal).catch(() => {
      throw signal.aborted ? signal.reason : engineUnavailable()
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

function endsEngine(): Problem {
  return new Problem(
    'result_too_large',
    'The query crashes the SQL engine, even when it runs alone: it needs more memory than is available, or triggers a fault of the engine. Narrow the query, or write it in another way.',
  )
}
