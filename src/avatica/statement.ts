import { Problem } from '../model/problem.ts'
import type { AnswerCursor, BatchLimits } from './answer-cursor.ts'
import type { Frame, Signature } from './avatica-protocol.ts'

/** A query that was validated but not run. Its columns are sent once and not stored: they are many times as large as `SELECT *`. */
export interface Prepared {
  readonly sql: string
  readonly rowsMax: number | null
}

/** Memory of a result column while rows are being read, in addition to its name; 450 bytes measured. */
const columnBytes = 512

/** A connection's statement. Between requests it keeps its prepared query and the unread rows of its result. */
export class Statement {
  readonly id: number
  readonly #ownerId: string
  readonly #held: MemoryBudget
  #prepared: Prepared | null = null
  #forgetText: () => void = () => undefined
  #rows: AnswerCursor | null = null
  /** Signature of the unread rows. */
  #signature: Signature | null = null
  #hasAnswer = false
  #forgetRows: () => void = () => undefined
  #offset = 0
  #abort: AbortController | null = null
  #isClosed = false

  constructor(id: number, ownerId: string, held: MemoryBudget) {
    this.id = id
    this.#ownerId = ownerId
    this.#held = held
  }

  /** Throws Problem `overloaded` if there is no space for its text. */
  prepare(prepared: Prepared): void {
    this.#forgetText = this.#held.hold(this.#ownerId, prepared.sql.length)
    this.#prepared = prepared
  }

  /** Throws Problem `invalid_request` if nothing was prepared. */
  get prepared(): Prepared {
    if (this.#prepared === null)
      throw new Problem(
        'invalid_request',
        `Statement ${this.id} was not prepared. Prepare it, or execute it with its SQL.`,
      )
    return this.#prepared
  }

  /**
   * Runs one operation at a time, because concurrent ones would consume each other's rows. The signal is aborted when the client disconnects, or when
   * the statement is closed.
   */
  async #alone<Result>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#abort !== null)
      throw new Problem(
        'invalid_request',
        `Statement ${this.id} is already running. Use a separate statement for each concurrent query.`,
      )
    const abort = new AbortController()
    this.#abort = abort
    try {
      return await work(AbortSignal.any([caller, abort.signal]))
    } finally {
      this.#abort = null
      if (this.#isClosed) this.#forget()
    }
  }

  /** Runs a query, replacing the previous one, and returns its first frame. */
  async execute(
    caller: AbortSignal,
    run: (signal: AbortSignal) => Promise<{ readonly rows: AnswerCursor; readonly signature: Signature }>,
    limits: BatchLimits,
  ): Promise<{ readonly signature: Signature; readonly firstFrame: Frame }> {
    return this.#alone(caller, async (signal) => {
      this.#forget()
      const { rows, signature } = await run(signal)
      this.#rows = rows
      this.#signature = signature
      this.#hasAnswer = true
      this.#offset = 0
      const firstFrame = await this.#next(rows, signature, limits, signal)
      try {
        if (!firstFrame.done) this.#forgetRows = this.#held.hold(this.#ownerId, rows.bytes + bytesOf(signature))
      } catch (error) {
        this.#forget()
        throw error
      }
      return { signature, firstFrame }
    })
  }

  /** The rows from `offset` on. Throws Problem `invalid_request` unless the last frame ended there. */
  async fetch(caller: AbortSignal, offset: number, limits: BatchLimits): Promise<Frame> {
    return this.#alone(caller, async (signal) => {
      if (!this.#hasAnswer || offset !== this.#offset) {
        throw new Problem(
          'invalid_request',
          `Statement ${this.id} has no rows from ${offset} on: they were read already, or their answer was discarded. Execute it again.`,
        )
      }
      if (this.#rows === null || this.#signature === null) return { offset, done: true, rows: [], reps: [] }
      return this.#next(this.#rows, this.#signature, limits, signal)
    })
  }

  async #next(rows: AnswerCursor, { columns }: Signature, limits: BatchLimits, signal: AbortSignal): Promise<Frame> {
    try {
      const offset = this.#offset
      const batch = await rows.next(limits, signal)
      this.#offset += batch.rows.length
      if (batch.done) this.#giveBack()
      return { ...batch, offset, reps: columns.map(({ rep }) => rep) }
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  /** Cancels the running query and frees what the statement holds. */
  close(reason: string): void {
    this.#isClosed = true
    if (this.#abort === null) this.#forget()
    else this.#abort.abort(new Problem('invalid_request', reason))
  }

  #giveBack(): void {
    this.#rows?.release()
    this.#rows = null
    this.#signature = null
    this.#forgetRows()
  }

  #forget(): void {
    this.#giveBack()
    this.#hasAnswer = false
    if (!this.#isClosed) return
    this.#prepared = null
    this.#forgetText()
  }
}

function bytesOf({ columns, sql }: Signature): number {
  return columns.reduce((bytes, { name }) => bytes + columnBytes + name.length, sql.length)
}

/** Maximum share of the space for one subscriber; the rest remains available to others. */
const ownShare = 0.75

/** Counts the memory that statements hold between requests: unread results with their columns, and the texts of prepared queries. */
export class MemoryBudget {
  readonly #bytesMax: number
  readonly #own = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Counts `bytes` until the returned function is called. Throws Problem `overloaded` if there is no space. */
  hold(ownerId: string, bytes: number): () => void {
    const own = this.#own.get(ownerId) ?? 0
    if (this.#bytes + bytes > this.#bytesMax || own + bytes > this.#bytesMax * ownShare) {
      throw new Problem(
        'overloaded',
        `Unread answers use all of jdbc.heldBytes (${this.#bytesMax}), of which one subscriber gets three quarters. Close statements, or narrow the query.`,
      )
    }
    this.#count(ownerId, bytes)
    let isHeld = true
    return () => {
      if (isHeld) this.#count(ownerId, -bytes)
      isHeld = false
    }
  }

  #count(ownerId: string, bytes: number): void {
    this.#bytes += bytes
    const own = (this.#own.get(ownerId) ?? 0) + bytes
    if (own > 0) this.#own.set(ownerId, own)
    else this.#own.delete(ownerId)
  }
}
