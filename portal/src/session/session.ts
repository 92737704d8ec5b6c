// The current user: the key of this tab, stored only in its session storage, and the key's rights according to the service.

import type { KeyRight, OwnSubscription } from '../../../src/client/answers.ts'
import { TidemarkClient } from '../../../src/client/client.ts'
import { ServiceError } from '../../../src/client/service-error.ts'
import { storeOf } from '../shell/store.ts'

const kept = 'tidemark.key'

/** The address of the service; the page is at .../portal. */
export const serviceUrl = new URL('.', location.href).href.replace(/\/$/, '')

export interface Session {
  readonly key: string | null
  readonly subscriber: string | null
  readonly rights: readonly KeyRight[]
  readonly own: OwnSubscription | null
}

/** Null before sign-in. */
export const session = storeOf<Session | null>(null)

/** Every request of the portal uses the client of the command line. The signal aborts its requests. */
export function clientFor(key: string | null, signal?: AbortSignal): TidemarkClient {
  const ask: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-store', ...(signal && { signal }) })
  return new TidemarkClient({ url: serviceUrl, key: key ?? undefined, fetch: ask })
}

export function clientOf(signal?: AbortSignal): TidemarkClient {
  return clientFor(session.get()?.key ?? null, signal)
}

export const keptKey = (): string | null => sessionStorage.getItem(kept)

/** Resolves when the key is accepted; throws if the service refuses it. */
export async function signIn(key: string): Promise<void> {
  const own = await clientFor(key).subscription()
  sessionStorage.setItem(kept, key)
  session.set({ key, subscriber: own.subscriber, rights: own.rights, own })
}

/** Starts a session without a key, if the service allows reading without one. Resolves with false if it does not. */
export async function readWithoutKey(): Promise<boolean> {
  try {
    await clientFor(null).entities()
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return false
    throw error
  }
  session.set({ key: null, subscriber: null, rights: ['consume'], own: null })
  return true
}

export function signOut(): void {
  sessionStorage.removeItem(kept)
  session.set(null)
}

export const mayDo = (right: KeyRight): boolean => session.get()?.rights.includes(right) ?? false
