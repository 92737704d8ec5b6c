import type { ObjectStore } from '../../src/object-store/object-store.ts'
import { changedStore } from './changed-store.ts'

/** Stores over one place whose lists freeze at some moment: they omit later writes and still show deleted objects. */
export class LateLists {
  #listed: readonly string[] | null = null

  /** Freezes lists at the store's current names until `catchUp`. */
  async freeze(store: ObjectStore): Promise<void> {
    const names: string[] = []
    for await (const name of store.list('')) names.push(name)
    this.#listed = names
  }

  catchUp(): void {
    this.#listed = null
  }

  wrap(store: ObjectStore): ObjectStore {
    return changedStore(store, { list: (prefix, after) => this.#list(store, prefix, after) })
  }

  async *#list(store: ObjectStore, prefix: string, after = ''): AsyncIterable<string> {
    if (this.#listed === null) yield* store.list(prefix, after)
    else yield* this.#listed.filter((name) => name.startsWith(prefix) && name > after)
  }
}
