import type { SealedFile } from './sealed-source.ts'

/**
 * Counts the runs that read each file, so that a replaced file is deleted after its last reader. A file without readers keeps its Map entry
 * until it is removed: adding and deleting an entry with each run would cost more (see `src/lib/slots.ts`).
 */
export class FilePins<File = SealedFile> {
  readonly #pins = new Map<File, number>()
  /** Callbacks of files that were removed while they were being read. */
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

  /** Calls `gone` when the file has no reader: now, or after the last one. */
  remove(file: File, gone: (file: File) => void): void {
    if ((this.#pins.get(file) ?? 0) > 0) {
      this.#removed.set(file, gone)
      return
    }
    this.#pins.delete(file)
    gone(file)
  }
}
