/** A complete answer: its body is finished before the first byte is sent. */
export interface Answer {
  readonly rows: number
  readonly bytes: number
  /** Which part of the service produced the answer, where there is a choice. */
  readonly answeredBy?: 'store' | 'sql-engine'
  /**
   * The body, in memory or read lazily from a file; it can be read once. Throws if the body is shorter than it should be. A piece of a file is valid
   * until `filePieces` more pieces have been read.
   */
  readonly chunks: readonly Uint8Array[] | AsyncIterable<Uint8Array>
  /**
   * Frees the body, sent or not; the receiver of the answer must call it. `isSent`: the whole body has left this process, so its memory may be
   * reused.
   */
  release(isSent?: boolean): void
}
