import { storeOf, useStore } from '../shell/store.ts'
import { clientFor, mayDo, session } from './session.ts'

/** A second key for pushing, for an operator whose own key may not push. It is kept until the page is closed. */
export const pushKey = storeOf('')

export const needsPushKey = (): boolean => !mayDo('ingest')

/** Whether a key to push with is needed but not given yet. */
export function useKeyMissing(): boolean {
  const key = useStore(pushKey)
  return needsPushKey() && key.trim() === ''
}

export const pusherOf = (signal?: AbortSignal) =>
  clientFor(needsPushKey() ? pushKey.get().trim() : (session.get()?.key ?? null), signal)
