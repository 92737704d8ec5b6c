import type { ObjectStore } from '../../src/object-store/object-store.ts'

/** The store with some methods replaced. */
export function changedStore(store: ObjectStore, changes: Partial<ObjectStore>): ObjectStore {
  return {
    putIfAbsent: (name, bytes) => store.putIfAbsent(name, bytes),
    get: (name) => store.get(name),
    list: (prefix, after) => store.list(prefix, after),
    delete: (name) => store.delete(name),
    close: () => store.close(),
    ...changes,
  }
}
