import type { ObjectStore } from '../../src/object-store/object-store.ts'

/** Stores of one place whose lists stand still from a moment on: they lack what was written since, and have what was deleted. */
export class LateLists {
  #listed: readonly string[] | null = null

  /** Lists show what a store has now, until `catchUp`. */
  async standStill(store: ObjectStore): Promise<void> {
    const names: string[] = []
    for await (const name of store.list('')) names.push(name)
    this.#listed = names
  }

  catchUp(): void {
    this.#listed = null
  }

  wrap(store: ObjectStore): ObjectStore {
    return {
      putIfAbsent: (name, bytes) => store.putIfAbsent(name, bytes),
      get: (name) => store.get(name),
      list: (prefix, after) => this.#list(store, prefix, after),
      delete: (name) => store.delete(name),
      close: () => store.close(),
    }
  }

  async *#list(store: ObjectStore, prefix: string, after = ''): AsyncIterable<string> {
    if (this.#listed === null) yield* store.list(prefix, after)
    else yield* this.#listed.filter((name) => name.startsWith(prefix) && name > after)
  }
}
