/** A whole answer: its body is complete before a byte of it is sent. */
export interface Answer {
  readonly rows: number
  readonly bytes: number
  /** Who made the answer, where there is a choice. */
  readonly answeredBy?: 'store' | 'sql-engine'
  /** The body as a text of one character a byte (latin1), where it is short. */
  readonly text?: string
  /**
   * The body, in memory or read from a file as it is asked for, once. It throws when it comes to fewer bytes than it should have. A piece of a
   * file is good until `filePieces` later ones were asked for.
   */
  readonly chunks: readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /**
   * Gives back what the body holds, sent or not; whoever got the answer calls it. `isSent`: all of the body has left this process, so that
   * its memory may be written again.
   */
  release(isSent?: boolean): void
}

/** An answer, and who made it. It is passed on and not copied: a copy would make the bytes of a short one, which mostly nobody asks for. */
export class AttributedAnswer implements Answer {
  readonly rows: number
  readonly bytes: number
  readonly answeredBy: NonNullable<Answer['answeredBy']>
  readonly text: string | undefined
  readonly #answer: Answer

  constructor(answeredBy: NonNullable<Answer['answeredBy']>, answer: Answer) {
    this.rows = answer.rows
    this.bytes = answer.bytes
    this.answeredBy = answeredBy
    this.text = answer.text
    this.#answer = answer
  }

  get chunks(): Answer['chunks'] {
    return this.#answer.chunks
  }

  release(isSent?: boolean): void {
    this.#answer.release(isSent)
  }
}
