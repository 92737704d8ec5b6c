import { useEffect, useState } from 'preact/hooks'

/** A value that several parts of the page show. */
export interface Store<T> {
  get(): T
  set(value: T): void
  watch(told: () => void): () => void
}

export function storeOf<T>(first: T): Store<T> {
  let value = first
  const watchers = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const told of [...watchers]) told()
    },
    watch: (told) => {
      watchers.add(told)
      return () => void watchers.delete(told)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, show] = useState(store.get())
  useEffect(() => {
    const told = (): void => show(() => store.get())
    told()
    return store.watch(told)
  }, [store])
  return value
}
