import type { SealedFile } from './sealed-source.ts'

/** Counts the runs that read each file, so that a file that was replaced goes after its last reader. */
export class FilePins<File = SealedFile> {
  readonly #pins = new Map<File, number>()
  /** What is to be called for files that were removed while they are read. */
  readonly #removed = new Map<File, (file: File) => void>()

  pin(files: readonly File[]): void {
    for (const file of files) this.#pins.set(file, (this.#pins.get(file) ?? 0) + 1)
  }

  unpin(files: readonly File[]): void {
    for (const file of files) {
      const pins = (this.#pins.get(file) ?? 0) - 1
      if (pins > 0) {
        this.#pins.set(file, pins)
        continue
      }
      this.#pins.delete(file)
      const gone = this.#removed.get(file)
      this.#removed.delete(file)
      gone?.(file)
    }
  }

  /** Calls `gone` once nobody reads the file: now, or later. */
  remove(file: File, gone: (file: File) => void): void {
    if (this.#pins.has(file)) this.#removed.set(file, gone)
    else gone(file)
  }
}
