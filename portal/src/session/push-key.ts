import { storeOf, useStore } from '../shell/store.ts'
import { clientFor, mayDo, session } from './session.ts'

/** A second key for pushing, for an operator whose own key may not push. It is kept until the page is closed. */
export const pushKey = storeOf('')

export const asksForKey = (): boolean => !mayDo('ingest')

/** Whether a key to push with is needed but not given yet. */
export function useKeyMissing(): boolean {
  const key = useStore(pushKey)
  return asksForKey() && key.trim() === ''
}

export const pusherOf = (signal?: AbortSignal) =>
  clientFor(asksForKey() ? pushKey.get().trim() : (session.get()?.key ?? null), signal)
