import type { ObjectStore } from '../object-store/object-store.ts'
import type { StoreAttempt } from './replica-log.ts'

/** The number of names in one attempt: a list of millions takes longer than one request may. */
const namesAtOnce = 20_000

/** All names that begin with `prefix`, in order. */
export async function* objectNames(store: ObjectStore, attempt: StoreAttempt, prefix: string): AsyncGenerator<string> {
  let after: string | undefined
  for (;;) {
    const names = await attempt(() => someNames(store, prefix, after))
    yield* names
    if (names.length < namesAtOnce) return
    after = names.at(-1)
  }
}

async function someNames(store: ObjectStore, prefix: string, after: string | undefined): Promise<string[]> {
  const names: string[] = []
  for await (const name of store.list(prefix, after)) {
    names.push(name)
    if (names.length === namesAtOnce) break
  }
  return names
}
