import { type Store, storeOf } from '../shell/store.ts'

/** A store whose value this browser keeps, where it keeps anything. `read` makes a value of whatever was kept, null of nothing. */
export function keptStore<T>(name: string, read: (kept: unknown) => T): Store<T> {
  const store = storeOf(read(keptValue(name)))
  return {
    ...store,
    set: (value) => {
      store.set(value)
      try {
        localStorage.setItem(name, JSON.stringify(value))
      } catch {
        // It holds until the page is left.
      }
    },
  }
}

function keptValue(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}
