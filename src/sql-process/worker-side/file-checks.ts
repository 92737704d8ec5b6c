import { unlessAborted } from '../../lib/cancellation.ts'
import type { EngineFile } from '../../sql-engine/sql-engine.ts'

/** How many files of one query are checked at a time: one is read while the checksum of another is computed. */
const atOnce = 2

/** Checks a file against the file next to it that describes it (`checkedBy`). */
export type CheckFile = (path: string, checkedBy: string) => Promise<void>

/**
 * Checks files before they are read. A file that several queries wait for is checked once. A check that has started is completed even when no query
 * waits any more: a query that ran out of time is usually sent again.
 */
export class FileChecks {
  readonly #check: CheckFile
  readonly #checked: (path: string) => void
  readonly #underWay = new Map<string, Promise<void>>()

  /** `checked` is called for each file found whole. */
  constructor(check: CheckFile, checked: (path: string) => void) {
    this.#check = check
    this.#checked = checked
  }

  /** Resolves when all files are checked. Throws what the check throws, and the signal's reason when it is aborted. */
  async all(files: readonly EngineFile[], signal: AbortSignal): Promise<void> {
    const left = files.flatMap(({ path, checkedBy }) => (checkedBy === null ? [] : [{ path, checkedBy }]))
    if (left.length === 0) return
    signal.throwIfAborted()
    let isOver = false
    const work = async (): Promise<void> => {
      for (let file = left.shift(); file !== undefined && !isOver; file = left.shift())
        await this.#once(file.path, file.checkedBy)
    }
    try {
      await unlessAborted(Promise.all(Array.from({ length: atOnce }, work)), signal)
    } finally {
      isOver = true
    }
  }

  #once(path: string, checkedBy: string): Promise<void> {
    const known = this.#underWay.get(path)
    if (known !== undefined) return known
    const check = this.#check(path, checkedBy)
      .then(() => this.#checked(path))
      .finally(() => this.#underWay.delete(path))
    check.catch(() => undefined)
    this.#underWay.set(path, check)
    return check
  }
}
