/** What the mirror of the main thread takes of `query.mirrorBytes`. */
export interface MirrorShares {
  /** Rows and series. */
  readonly rows: number
  /** Decoded pages, and the indexes of files. */
  readonly pages: number
  readonly indexes: number
}

/** Small questions read the indexes of files more than their pages. */
export function mirrorShares(bytes: number): MirrorShares {
  return { rows: bytes / 2, pages: bytes / 4, indexes: bytes / 4 }
}
