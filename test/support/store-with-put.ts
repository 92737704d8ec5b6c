import type { ObjectStore } from '../../src/object-store/object-store.ts'

/** The store, but for how an object is put. */
export function storeWithPut(store: ObjectStore, putIfAbsent: ObjectStore['putIfAbsent']): ObjectStore {
  return {
    get: (name) => store.get(name),
    list: (prefix, after) => store.list(prefix, after),
    delete: (name) => store.delete(name),
    close: () => store.close(),
    putIfAbsent,
  }
}
