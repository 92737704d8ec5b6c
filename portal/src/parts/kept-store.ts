import { type Store, storeOf } from '../shell/store.ts'

/** A store whose value is saved in this browser, if it allows that. `read` parses the saved value, which is null if there is none. */
export function keptStore<T>(name: string, read: (kept: unknown) => T): Store<T> {
  const store = storeOf(read(keptValue(name)))
  return {
    ...store,
    set: (value) => {
      store.set(value)
      try {
        localStorage.setItem(name, JSON.stringify(value))
      } catch {
        // The value lasts until the page is closed.
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
