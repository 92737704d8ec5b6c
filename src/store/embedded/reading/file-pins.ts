import type { SealedFile } from './sealed-source.ts'

/**
 * Counts the runs that read each file, so that a file that was replaced goes after its last reader. A file that nobody reads keeps its place
 * until it is removed: one that came and went with each run would cost more (`src/lib/slots.ts`).
 */
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
      this.#pins.set(file, pins)
      const gone = pins > 0 ? undefined : this.#removed.get(file)
      if (gone === undefined) continue
      this.#pins.delete(file)
      this.#removed.delete(file)
      gone(file)
    }
  }

  /** Calls `gone` once nobody reads the file: now, or later. */
  remove(file: File, gone: (file: File) => void): void {
    if ((this.#pins.get(file) ?? 0) > 0) {
      this.#removed.set(file, gone)
      return
    }
    this.#pins.delete(file)
    gone(file)
  }
}
