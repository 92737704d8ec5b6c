import { useEffect, useState } from 'preact/hooks'

/** A value shared by several parts of the page. */
export interface Store<T> {
  get(): T
  set(value: T): void
  watch(listener: () => void): () => void
}

export function storeOf<T>(first: T): Store<T> {
  let value = first
  const watchers = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of [...watchers]) listener()
    },
    watch: (listener) => {
      watchers.add(listener)
      return () => void watchers.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, show] = useState(store.get())
  useEffect(() => {
    const listener = (): void => show(() => store.get())
    listener()
    return store.watch(listener)
  }, [store])
  return value
}
