/** A whole answer: its body is complete before a byte of it is sent. */
export interface Answer {
  readonly rows: number
  readonly bytes: number
  /** Who made the answer, where there is a choice. */
  readonly answeredBy?: 'store' | 'sql-engine'
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
