import { messageOf } from '../../../lib/message-of.ts'
import { Serial } from '../../../lib/serial.ts'
import type { Reach } from '../../../observe/crash-point.ts'
import type { Observe } from '../../../observe/event.ts'
import type { SealedFile } from '../reading/sealed-source.ts'

interface Removal {
  readonly name: string
  readonly run: () => Promise<void>
}

export interface RemovalParts {
  /** Deletes the file and its index. */
  readonly removeFile: (file: SealedFile) => Promise<void>
  /** Deletes the remaining content of an entity's folder. */
  readonly removeEntity: (entityId: number) => Promise<void>
  /** Whether it starts in the state after `hold`. */
  readonly isHeld: boolean
  readonly observe: Observe
  readonly reach: Reach
}

/** Deletes files without readers; while a backup is being made, only after it has ended. */
export class Removals {
  readonly #parts: RemovalParts
  #held: boolean
  #waiting: Removal[] = []
  /** By entity, the files to be deleted after their last reader. */
  readonly #inUse = new Map<number, Set<SealedFile>>()
  readonly #dropped = new Set<number>()
  readonly #running = new Set<Promise<void>>()
  readonly #removals = new Serial()

  constructor(parts: RemovalParts) {
    this.#parts = parts
    this.#held = parts.isHeld
  }

  /** Deletes a file that no run has read. */
  remove(file: SealedFile): void {
    const { removeFile, reach } = this.#parts
    this.#take({
      name: `${file.info.entityId}/${file.info.name}`,
      run: async () => {
        await removeFile(file)
        reach('merge-files-removed')
      },
    })
  }

  /** Deletes files that runs may still read: the returned function must be called for each file after its last reader. */
  ofFiles(files: readonly SealedFile[]): (file: SealedFile) => void {
    for (const file of files) {
      const { entityId } = file.info
      this.#inUse.set(entityId, (this.#inUse.get(entityId) ?? new Set()).add(file))
    }
    return (file) => this.#released(file)
  }

  /** As `ofFiles`, for all files of a dropped entity. Its folder is deleted after them, and after its files that were replaced before. */
  ofEntity(entityId: number, files: readonly SealedFile[]): (file: SealedFile) => void {
    const gone = this.ofFiles(files)
    this.#dropped.add(entityId)
    this.#removeDropped(entityId)
    return gone
  }

  #released(file: SealedFile): void {
    const { entityId } = file.info
    const ofEntity = this.#inUse.get(entityId)
    ofEntity?.delete(file)
    if (ofEntity?.size === 0) this.#inUse.delete(entityId)
    this.remove(file)
    this.#removeDropped(entityId)
  }

  #removeDropped(entityId: number): void {
    if (this.#inUse.has(entityId) || !this.#dropped.delete(entityId)) return
    this.#take({ name: String(entityId), run: () => this.#parts.removeEntity(entityId) })
  }

  /** Resolves when no file is being deleted; none will be until `release`. */
  async hold(): Promise<void> {
    this.#held = true
    await Promise.all(this.#running)
  }

  release(): void {
    this.#held = false
    for (const removal of this.#waiting.splice(0)) this.#start(removal)
  }

  /** Resolves when all deletions requested so far have ended, except held ones. */
  async settle(): Promise<void> {
    await Promise.all(this.#running)
  }

  #take(removal: Removal): void {
    if (this.#held) this.#waiting.push(removal)
    else this.#start(removal)
  }

  #start(removal: Removal): void {
    const running = this.#run(removal).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Deletions run one after another. A file that cannot be deleted is an orphan, which the next start removes. */
  #run({ name, run }: Removal): Promise<void> {
    return this.#removals.run(async () => {
      try {
        await run()
      } catch (error) {
        const message = messageOf(error)
        this.#parts.observe({ kind: 'removalFailed', name, message })
      }
    })
  }
}
