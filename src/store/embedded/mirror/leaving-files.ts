import type { SealedFileInfo } from '../reading/sealed-source.ts'

interface Leaving {
  readonly gone: Promise<void>
  readonly tell: () => void
}

/** Files that were removed, and that a mirror in another thread may still read. */
export class LeavingFiles {
  readonly #leaving = new Map<string, Leaving>()

  /** The mirror is told that they are removed. */
  add(files: readonly SealedFileInfo[]): void {
    for (const info of files) {
      // Nobody who waits is forgotten.
      if (this.#leaving.has(keyOf(info))) continue
      let tell = (): void => undefined
      const gone = new Promise<void>((resolve) => {
        tell = resolve
      })
      this.#leaving.set(keyOf(info), { gone, tell })
    }
  }

  /** Resolves when the mirror does not read a file any more that was removed. */
  letGo(info: SealedFileInfo): Promise<void> {
    return this.#leaving.get(keyOf(info))?.gone ?? Promise.resolve()
  }

  /** The mirror does not read it any more. */
  gone(info: SealedFileInfo): void {
    const key = keyOf(info)
    this.#leaving.get(key)?.tell()
    this.#leaving.delete(key)
  }

  /** There is no mirror any more. */
  allGone(): void {
    for (const { tell } of this.#leaving.values()) tell()
    this.#leaving.clear()
  }
}

function keyOf({ entityId, name }: SealedFileInfo): string {
  return `${entityId}/${name}`
}
