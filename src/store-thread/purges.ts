import type { SealedFile } from '../store/embedded/reading/sealed-source.ts'
import type { Departures } from './departures.ts'

/** Rows that have left are to be gone from memory and files, as far as they had been judged when this was asked. */
interface Purge {
  readonly entityId: number
  readonly position: number
  readonly done: () => void
}

interface PurgeParts {
  readonly store: { readonly position: number; files(entityId: number): readonly SealedFile[] }
  readonly departures: Pick<Departures, 'sinceMs'>
}

/** The purges that are not done: what is in memory has to be sealed, and files that hold rows that have left to be written anew. */
export class Purges {
  readonly #parts: PurgeParts
  readonly #purges = new Set<Purge>()

  constructor(parts: PurgeParts) {
    this.#parts = parts
  }

  /** Resolves when no row of the entity that has left is in memory or in a file, of those before the position. */
  add(entityId: number, position: number): Promise<void> {
    return new Promise((resolve) => {
      this.#purges.add({ entityId, position, done: resolve })
    })
  }

  /** Whether rows from this position on have to be sealed. */
  needsSeal(frozenPosition: number): boolean {
    for (const { position } of this.#purges) if (position > frozenPosition) return true
    return false
  }

  /** A file that holds rows that have left and others; null when there is none. Purges that are done are told so. */
  chooseFile(): SealedFile | null {
    const { store, departures } = this.#parts
    for (const purge of this.#purges) {
      const sinceMs = departures.sinceMs(purge.entityId) ?? Number.NEGATIVE_INFINITY
      const file = store.files(purge.entityId).find(({ info }) => info.firstMs < sinceMs)
      if (file !== undefined) return file
      if (store.position < purge.position) continue
      this.#purges.delete(purge)
      purge.done()
    }
    return null
  }
}
