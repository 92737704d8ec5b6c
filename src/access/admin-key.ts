import type { AccessCatalog, AccessState } from '../catalog/catalog.ts'
import { Problem } from '../model/problem.ts'
import { hashKey, newKey } from './keys.ts'

/** The id of the key that the service creates itself, and the name of its subscriber. */
const firstKeyId = 'first-admin-key'
const firstSubscriber = 'admin'

/**
 * Makes sure that an admin key exists. A configured key replaces the first one. Without a configured key, one is created if no valid key has the right
 * `admin`, and returned so that it can be shown once. Throws an Error when the configured key cannot be used.
 */
export async function ensureAdminKey(
  catalog: AccessCatalog,
  configured: string | null,
  nowMs: () => number,
  randomBytes?: (count: number) => Uint8Array,
): Promise<string | null> {
  try {
    return await ensureOnce(catalog, configured, nowMs, randomBytes)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'conflict') throw error
    // Another process of the cluster, starting at the same time, was first.
    return ensureOnce(catalog, configured, nowMs, randomBytes)
  }
}

async function ensureOnce(
  catalog: AccessCatalog,
  configured: string | null,
  nowMs: () => number,
  randomBytes?: (count: number) => Uint8Array,
): Promise<string | null> {
  const state = await catalog.state()
  if (configured !== null) {
    checkConfigured(state, configured)
    await putFirstKey(catalog, state, hashKey(configured), nowMs())
    return null
  }
  const isValid = (expiresMs: number | null): boolean => expiresMs === null || nowMs() < expiresMs
  if (state.keys.some((key) => key.rights.includes('admin') && isValid(key.expiresMs))) return null
  const made = newKey(randomBytes)
  await putFirstKey(catalog, state, made.hash, nowMs())
  return made.key
}

function checkConfigured(state: AccessState, configured: string): void {
  const hash = hashKey(configured)
  const other = state.keys.find((key) => key.hash === hash && key.id !== firstKeyId)
  if (other === undefined) return
  throw new Error(
    `TIDEMARK_ADMIN_KEY is already the key of a subscriber, under the id "${other.id}". Configure another one, or none.`,
  )
}

async function putFirstKey(catalog: AccessCatalog, state: AccessState, hash: string, nowMs: number): Promise<void> {
  const standing = state.keys.find(({ id }) => id === firstKeyId)
  if (standing?.hash === hash) return
  const subscriber =
    state.subscribers.find(({ name }) => name === firstSubscriber) ??
    (await catalog.createSubscriber(firstSubscriber, nowMs))
  await catalog.putKey({
    id: firstKeyId,
    subscriberId: subscriber.id,
    hash,
    rights: ['admin'],
    createdMs: nowMs,
    expiresMs: null,
  })
}
