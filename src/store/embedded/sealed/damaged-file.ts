/** A file of the store is not as it was written, or cannot be read. No query can use it. */
export class DamagedFileError extends Error {
  readonly path: string

  constructor(path: string, what: string, cause?: unknown) {
    super(`${path}: ${what}; "tidemark verify" says what else is damaged, and a backup has the file as it was`, {
      cause,
    })
    this.name = 'DamagedFileError'
    this.path = path
  }
}
