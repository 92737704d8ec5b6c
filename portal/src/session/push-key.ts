import { storeOf, useStore } from '../shell/store.ts'
import { clientFor, mayDo, session } from './session.ts'

/** The key that an operator pushes with, whose own may not push. It is kept until the page is left. */
export const pushKey = storeOf('')

export const asksForKey = (): boolean => !mayDo('ingest')

/** Whether a key to push with is asked for, and none is given yet. */
export function useKeyMissing(): boolean {
  const key = useStore(pushKey)
  return asksForKey() && key.trim() === ''
}

export const pusherOf = (signal?: AbortSignal) =>
  clientFor(asksForKey() ? pushKey.get().trim() : (session.get()?.key ?? null), signal)
