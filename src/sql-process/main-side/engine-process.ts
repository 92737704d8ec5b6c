import type { ChildProcess } from 'node:child_process'
import type { StoredAnswer } from '../../answer/stored-answer.ts'
import { Problem } from '../../model/problem.ts'
import { DamagedRows, LongOverflow, OutOfMemory } from '../../sql-engine/sql-engine.ts'
import type { FromSqlProcess, NativeRun, SentFailure, SqlProcessData, SqlRun, ToSqlProcess } from '../protocol.ts'

/** How a life ended: by itself or by somebody else's hand, since it took too much memory, for a query that did not end, or as it was asked to. */
export type EngineEnd = 'died' | 'spent' | 'cancelled' | 'closed'

/** A query that was lost with its process, or found no memory beside others: it may be run again, for nothing of it was sent. */
export class EngineLost extends Error {
  /** `none` where there was no such end: the process lives. */
  readonly end: EngineEnd | 'none'
  /** What to tell the caller when it is not run again. */
  readonly problem: Problem

  constructor(end: EngineEnd | 'none', problem: Problem) {
    super(problem.message)
    this.name = 'EngineLost'
    this.end = end
    this.problem = problem
  }
}

/** How long the process may take to end when it is asked to. */
const closeMs = 1000

interface Asked {
  readonly settle: () => void
  readonly resolve: (answer: StoredAnswer) => void
  readonly reject: (error: Error) => void
  /** Whether others ran at the same time. */
  hadCompany: boolean
}

/** One life of the engine's process, from its start to its end. */
export class EngineProcess {
  /** Resolves when queries are answered; rejects when it ended before. */
  readonly ready: Promise<void>
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess
  readonly #cancelMs: number
  readonly #checked: (path: string) => void
  readonly #asked = new Map<number, Asked>()
  #nextId = 1
  #end: EngineEnd = 'died'
  #isOver = false

  /** `checked` is told of files that are whole. */
  constructor(child: ChildProcess, data: SqlProcessData, cancelMs: number, checked: (path: string) => void) {
    this.#child = child
    this.#checked = checked
    this.#cancelMs = cancelMs
    this.ended = new Promise((resolve) => {
      const over = (reason: string): void => {
        this.#lose()
        resolve(reason)
      }
      // One that could not be started has no exit; one that could has no other error that ends it.
      child.on('error', (error) => {
        if (child.pid === undefined) over(`the SQL engine's process could not be started: ${error.message}`)
      })
      child.once('exit', (code, signal) => over(`the SQL engine's process ended with ${signal ?? code}${this.#why}`))
    })
    this.ready = new Promise((resolve, reject) => {
      child.on('message', (message: FromSqlProcess) => {
        if (message.kind === 'ready') resolve()
        else this.#take(message)
      })
      void this.ended.then((reason) => reject(new Error(reason)))
    })
    this.ready.catch(() => undefined)
    this.#send({ kind: 'start', ...data })
  }

  get processId(): number | undefined {
    return this.#child.pid
  }

  /**
   * Runs a query; settles when it has really ended. Throws the Problems of the engine, LongOverflow, EngineLost, and the signal's reason
   * when it is aborted.
   */
  ask(run: SqlRun | NativeRun, signal: AbortSignal): Promise<StoredAnswer> {
    signal.throwIfAborted()
    if (this.#isOver) throw this.#lost()
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      let kill: NodeJS.Timeout | undefined
      const onAbort = (): void => {
        this.#send({ kind: 'cancel', id })
        // Not all of the engine's work looks up to see that it is to end.
        kill = setTimeout(() => this.kill('cancelled'), this.#cancelMs)
      }
      const settle = (): void => {
        this.#asked.delete(id)
        signal.removeEventListener('abort', onAbort)
        clearTimeout(kill)
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const hadCompany = this.#asked.size > 0
      if (hadCompany) for (const other of this.#asked.values()) other.hadCompany = true
      const rejected = (error: Error): void => reject(signal.aborted ? signal.reason : error)
      this.#asked.set(id, { settle, resolve, reject: rejected, hadCompany })
      this.#send({ id, ...run })
    })
  }

  kill(end: EngineEnd): void {
    if (!this.#isOver && this.#end === 'died') this.#end = end
    this.#child.kill('SIGKILL')
  }

  /** Resolves when it has ended. */
  async close(): Promise<void> {
    if (this.#isOver) return
    this.#end = 'closed'
    if (this.#child.connected) this.#child.disconnect()
    const kill = setTimeout(() => this.kill('closed'), closeMs)
    await this.ended
    clearTimeout(kill)
  }

  /** A channel that is closing takes nothing: then the end of the process is near, and tells the rest. */
  #send(message: ToSqlProcess): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  #take(message: Exclude<FromSqlProcess, { kind: 'ready' }>): void {
    if (message.kind === 'spent') {
      this.kill('spent')
      return
    }
    if (message.kind === 'checked') {
      this.#checked(message.path)
      return
    }
    const asked = this.#asked.get(message.id)
    if (asked === undefined) return
    asked.settle()
    if (message.kind === 'answer') asked.resolve(message.answer)
    else asked.reject(failureOf(message.failure, asked.hadCompany))
  }

  #lose(): void {
    this.#isOver = true
    for (const asked of [...this.#asked.values()]) {
      asked.settle()
      asked.reject(this.#lost())
    }
  }

  #lost(): EngineLost {
    return new EngineLost(this.#end, this.#end === 'spent' ? new OutOfMemory(true) : away())
  }

  get #why(): string {
    if (this.#end === 'spent') return ': it took more memory than it may'
    return this.#end === 'cancelled' ? ': a query did not end when it was told to' : ''
  }
}

export function away(): Problem {
  return new Problem(
    'unavailable',
    'The SQL engine is being started again; all else is answered meanwhile. Ask again in a moment.',
  )
}

function failureOf(failure: SentFailure, hadCompany: boolean): Error {
  const { code, message, errors, isOverflow, isOutOfMemory, damagedPath, engineWords } = failure
  if (isOverflow) return new LongOverflow()
  if (damagedPath !== null) return new DamagedRows(damagedPath, message)
  if (code === null) return new Error(message)
  const cause = engineWords === null ? undefined : new Error(engineWords)
  const problem = new Problem(code, message, { ...(errors === undefined ? {} : { errors }), cause })
  // Others may have taken what it needed.
  return isOutOfMemory && hadCompany ? new EngineLost('none', problem) : problem
}
