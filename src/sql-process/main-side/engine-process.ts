import type { ChildProcess } from 'node:child_process'
import type { AnswerData } from '../../answer/answer-data.ts'
import type { Generation, GenerationEvents } from '../../lib/actor/actor.ts'
import { PendingRequests } from '../../lib/actor/pending-requests.ts'
import { Problem } from '../../model/problem.ts'
import { DamagedRows, LongOverflow, OutOfMemory } from '../../sql-engine/sql-engine.ts'
import type { FromSqlProcess, NativeRun, SentFailure, SqlProcessData, SqlRun, ToSqlProcess } from '../protocol.ts'

/** Why a generation ended: it crashed or was killed from outside, used too much memory, was killed for a query that did not stop, or was closed. */
export type EngineEnd = 'died' | 'spent' | 'cancelled' | 'closed'

/** A query that was lost with its process, or ran out of memory next to others. It may be run again: none of its result was sent. */
export class EngineLost extends Error {
  /** `none` where the process is still running. */
  readonly end: EngineEnd | 'none'
  /** The error for the caller if the query is not run again. */
  readonly problem: Problem

  constructor(end: EngineEnd | 'none', problem: Problem) {
    super(problem.message)
    this.name = 'EngineLost'
    this.end = end
    this.problem = problem
  }
}

/** How long the process may take to exit on request. */
const closeMs = 1000

/** Notifications of a generation. */
export interface EngineEvents extends GenerationEvents {
  /** Called for each file found whole. */
  readonly checked: (path: string) => void
}

/** One generation of the engine's process, from its start to its end. */
export class EngineProcess implements Generation {
  readonly #child: ChildProcess
  readonly #cancelMs: number
  readonly #events: EngineEvents
  readonly #requests = new PendingRequests<AnswerData>()
  /** Ids of queries that ran at the same time as others. */
  readonly #concurrentIds = new Set<number>()
  #end: EngineEnd = 'died'
  #isOver = false

  constructor(child: ChildProcess, data: SqlProcessData, cancelMs: number, events: EngineEvents) {
    this.#child = child
    this.#events = events
    this.#cancelMs = cancelMs
    const over = (reason: string): void => {
      this.#isOver = true
      events.ended(new Error(reason))
      this.#requests.rejectAll(this.#lost())
    }
    // A process that could not be started has no exit event. For one that was started, only the exit event means that it ended.
    child.on('error', (error) => {
      if (child.pid === undefined) over(`the SQL engine's process could not be started: ${error.message}`)
    })
    child.once('exit', (code, signal) => over(`the SQL engine's process ended with ${signal ?? code}${this.#why}`))
    child.on('message', (message: FromSqlProcess) => {
      if (message.kind === 'ready') events.ready()
      else this.#take(message)
    })
    this.#send({ kind: 'start', ...data })
  }

  get processId(): number | undefined {
    return this.#child.pid
  }

  /**
   * Runs a query. Settles only after the query has really ended. Throws the Problems of the engine, LongOverflow, EngineLost, and the signal's reason
   * when it is aborted.
   */
  ask(run: SqlRun | NativeRun, signal: AbortSignal): Promise<AnswerData> {
    signal.throwIfAborted()
    if (this.#isOver) throw this.#lost()
    return this.#requests.add({
      signal,
      send: (id) => {
        if (this.#requests.size > 1) for (const one of this.#requests.ids) this.#concurrentIds.add(one)
        this.#send({ id, ...run })
      },
      cancel: (id) => {
        this.#send({ kind: 'cancel', id })
        // Not all of the engine's work checks whether it was cancelled.
        const kill = setTimeout(() => this.kill('cancelled'), this.#cancelMs)
        return () => clearTimeout(kill)
      },
    })
  }

  kill(end: EngineEnd): void {
    if (!this.#isOver && this.#end === 'died') this.#end = end
    this.#child.kill('SIGKILL')
  }

  /** Asks the process to exit, and kills it after `closeMs`. */
  end(): void {
    if (this.#isOver) return
    this.#end = 'closed'
    if (this.#child.connected) this.#child.disconnect()
    const kill = setTimeout(() => this.kill('closed'), closeMs)
    this.#child.once('exit', () => clearTimeout(kill))
  }

  /** A closing channel accepts no messages. The process is then about to exit, and its exit event does the rest. */
  #send(message: ToSqlProcess): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  #take(message: Exclude<FromSqlProcess, { kind: 'ready' }>): void {
    if (message.kind === 'spent') {
      this.kill('spent')
      return
    }
    if (message.kind === 'checked') {
      this.#events.checked(message.path)
      return
    }
    const { id } = message
    const hadCompany = this.#concurrentIds.delete(id)
    if (message.kind === 'answer') this.#requests.resolve(id, message.answer)
    else this.#requests.reject(id, failureOf(message.failure, hadCompany))
  }

  #lost(): EngineLost {
    return new EngineLost(this.#end, this.#end === 'spent' ? new OutOfMemory(true) : engineUnavailable())
  }

  get #why(): string {
    if (this.#end === 'spent') return ': it used more memory than allowed'
    return this.#end === 'cancelled' ? ': a query did not end when it was cancelled' : ''
  }
}

export function engineUnavailable(): Problem {
  return new Problem(
    'unavailable',
    'The SQL engine is restarting; everything else is available meanwhile. Retry in a moment.',
  )
}

function failureOf(failure: SentFailure, hadCompany: boolean): Error {
  const { code, message, errors, isOverflow, isOutOfMemory, damagedPath, engineWords } = failure
  if (isOverflow) return new LongOverflow()
  if (damagedPath !== null) return new DamagedRows(damagedPath, message)
  if (code === null) return new Error(message)
  const cause = engineWords === null ? undefined : new Error(engineWords)
  const problem = new Problem(code, message, { ...(errors === undefined ? {} : { errors }), cause })
  // Other queries may have used the memory it needed.
  return isOutOfMemory && hadCompany ? new EngineLost('none', problem) : problem
}
