import type { Observe } from '../observe/event.ts'
import type { Reach } from '../observe/step.ts'
import type { SealedFile } from '../store/embedded/sealed-source.ts'

export interface RemovalParts {
  /** Deletes the file and its index. */
  readonly removeFile: (file: SealedFile) => Promise<void>
  readonly observe: Observe
  readonly reach: Reach
}

/** Deletes files that nobody reads any more, unless a backup is being made: then once it is over. */
export class Removals {
  readonly #parts: RemovalParts
  #held = false
  #waiting: SealedFile[] = []
  readonly #running = new Set<Promise<void>>()

  constructor(parts: RemovalParts) {
    this.#parts = parts
  }

  remove(file: SealedFile): void {
    if (this.#held) this.#waiting.push(file)
    else this.#start(file)
  }

  /** Resolves when no file is being deleted, and none will be until `release`. */
  async hold(): Promise<void> {
    this.#held = true
    await this.settle()
  }

  release(): void {
    this.#held = false
    for (const file of this.#waiting.splice(0)) this.#start(file)
  }

  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #start(file: SealedFile): void {
    const running = this.#run(file).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** A file that stays is an orphan, and goes at the next start. */
  async #run(file: SealedFile): Promise<void> {
    const { removeFile, observe, reach } = this.#parts
    try {
      await removeFile(file)
      reach('compact-files-removed')
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      observe({ kind: 'removalFailed', name: `${file.info.entityId}/${file.info.name}`, message })
    }
  }
}
