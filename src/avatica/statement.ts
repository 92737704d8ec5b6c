import { Problem } from '../model/problem.ts'
import type { AnswerCursor, BatchLimits } from './answer-cursor.ts'
import type { Frame, Signature } from './avatica-protocol.ts'

/** A query that was checked and not run. Its columns are told once, and not kept: they are many times as large as `SELECT *`. */
export interface Prepared {
  readonly sql: string
  readonly rowsMax: number | null
}

/** What a column of an answer takes while its rows are read, beside its name: 450 measured. */
const columnBytes = 512

/** What a statement of a connection keeps between requests: its prepared query, and the rest of its answer. */
export class Statement {
  readonly id: number
  readonly #ownerId: string
  readonly #held: HeldBytes
  #prepared: Prepared | null = null
  #forgetText: () => void = () => undefined
  #rows: AnswerCursor | null = null
  /** Of the rows that are still to be read. */
  #signature: Signature | null = null
  #hasAnswer = false
  #forgetRows: () => void = () => undefined
  #offset = 0
  #abort: AbortController | null = null
  #isClosed = false

  constructor(id: number, ownerId: string, held: HeldBytes) {
    this.id = id
    this.#ownerId = ownerId
    this.#held = held
  }

  /** Throws Problem `overloaded` where there is no room for its text. */
  prepare(prepared: Prepared): void {
    this.#forgetText = this.#held.hold(this.#ownerId, prepared.sql.length)
    this.#prepared = prepared
  }

  /** Throws Problem `invalid_request` where nothing was prepared. */
  get prepared(): Prepared {
    if (this.#prepared === null)
      throw new Problem('invalid_request', `Statement ${this.id} was not prepared. Prepare it, or execute a text.`)
    return this.#prepared
  }

  /**
   * Does one piece of work of the statement; two at once would take each other's rows. The signal is aborted when the caller goes away, or when the
   * statement is closed.
   */
  async #alone<Result>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#abort !== null)
      throw new Problem(
        'invalid_request',
        `Statement ${this.id} runs already. Use one statement for each query at a time.`,
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

  /** Runs a query in the place of the last one, and gives its first frame. */
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

  /** The rows from `offset` on, which is where the last frame ended. Throws Problem `invalid_request` for another place. */
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

  /** Ends what runs, and gives back what it keeps. */
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

/** How much of the room one subscriber may take: the rest is left to others, whatever he keeps. */
const ownShare = 0.75

/** Counts what statements keep between requests: the rest of their answers with its columns, and the texts of those that were prepared. */
export class HeldBytes {
  readonly #bytesMax: number
  readonly #own = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Counts `bytes` until what it returns is called. Throws Problem `overloaded` where there is no room for them. */
  hold(ownerId: string, bytes: number): () => void {
    const own = this.#own.get(ownerId) ?? 0
    if (this.#bytes + bytes > this.#bytesMax || own + bytes > this.#bytesMax * ownShare) {
      throw new Problem(
        'overloaded',
        `Answers that are not read to their end take all of jdbc.heldBytes (${this.#bytesMax}), of which one subscriber gets three quarters. Close statements, or ask for less.`,
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
