import { timerMs } from '../../../lib/timer.ts'
import { Problem } from '../../../model/problem.ts'
import { baseOf } from '../deletions/visible-file.ts'
import type { SealedFile } from '../reading/sealed-source.ts'
import type { Expiry } from './expiry.ts'

/** A request to remove expired rows from memory and files, as far as they had been validated when it was made: those before the position. */
interface Purge {
  readonly entityId: number
  readonly position: number
  readonly resolve: () => void
  readonly reject: (problem: Problem) => void
}

interface PurgeParts {
  readonly store: { readonly position: number; files(entityId: number): readonly SealedFile[] }
  readonly expiry: Pick<Expiry, 'sinceMs' | 'keptRules'>
}

/** The pending purges: rows in memory have to be sealed, and files with expired rows rewritten. */
export class Purges {
  readonly #parts: PurgeParts
  readonly #purges = new Set<Purge>()

  constructor(parts: PurgeParts) {
    this.#parts = parts
  }

  /**
   * Resolves when no expired row of the entity before the position is in memory or in a file. Throws Problem `damaged_data` when a file with
   * such rows cannot be read, and `unavailable` when it could not be rewritten, or when rows in memory were not sealed, or hours not made, in
   * time.
   */
  add(entityId: number, position: number, waitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const purge = { entityId, position, resolve, reject }
      this.#purges.add(purge)
      setTimeout(() => this.#late(purge, waitMs), timerMs(waitMs)).unref()
    })
  }

  /** Waiting for space on the disk, or for hours to be made, may never end, so the purge is rejected. */
  #late(purge: Purge, waitMs: number): void {
    const { store, expiry } = this.#parts
    if (!this.#purges.has(purge)) return
    if (store.position < purge.position) this.#end(purge, () => purge.reject(tookTooLong(waitMs)))
    else if (expiry.keptRules(purge.entityId) !== null) this.#end(purge, () => purge.reject(hoursTookTooLong(waitMs)))
  }

  /** Whether rows from this position on have to be sealed. */
  needsSeal(frozenPosition: number): boolean {
    for (const { position } of this.#purges) if (position > frozenPosition) return true
    return false
  }

  /** A file with expired and other rows; null when there is none. Resolves purges that are done, and rejects those that need a damaged file. */
  chooseFile(damaged: ReadonlySet<SealedFile>): SealedFile | null {
    const { store, expiry } = this.#parts
    for (const purge of this.#purges) {
      const sinceMs = expiry.sinceMs(purge.entityId) ?? Number.NEGATIVE_INFINITY
      const isKept = expiry.keptRules(purge.entityId) !== null
      const files = store.files(purge.entityId).filter((file) => {
        const { kind, firstMs } = baseOf(file).info
        return firstMs < sinceMs && !(isKept && kind === 'hours')
      })
      if (files.some((file) => damaged.has(file))) this.#end(purge, () => purge.reject(isDamaged()))
      // Where hours are kept, they replace the rows.
      else if (files.length > 0 && isKept) continue
      else if (files.length > 0) return files[0]!
      else if (store.position >= purge.position) this.#end(purge, purge.resolve)
    }
    return null
  }

  /** A file could not be rewritten: its entity's purges are rejected, so that their callers can retry. */
  failed({ info: { entityId } }: SealedFile): void {
    for (const purge of this.#purges)
      if (purge.entityId === entityId) this.#end(purge, () => purge.reject(couldNotBeWritten()))
  }

  #end(purge: Purge, tell: () => void): void {
    this.#purges.delete(purge)
    tell()
  }
}

const notInForce =
  'The new retention is saved but not in force: expired rows must first be removed from the files. They stay hidden until then.'

function isDamaged(): Problem {
  return new Problem(
    'damaged_data',
    `${notInForce} A file that holds some of them is damaged, or cannot be read: its name is in the log. Restore it from a backup while the service is stopped.`,
  )
}

function tookTooLong(waitMs: number): Problem {
  return new Problem(
    'unavailable',
    `${notInForce} The rows in memory could not be written to disk within ${waitMs} ms (limits.queryTimeMs). The disk may be full: the log shows the reason. It is retried automatically.`,
  )
}

function hoursTookTooLong(waitMs: number): Problem {
  return new Problem(
    'unavailable',
    `${notInForce} Their hours were not made within ${waitMs} ms (limits.queryTimeMs). It continues in the background, and the log says if it fails.`,
  )
}

function couldNotBeWritten(): Problem {
  return new Problem(
    'unavailable',
    `${notInForce} A file with some of them could not be rewritten: the log shows the reason. It is retried automatically.`,
  )
}
