import { setTimeout as sleep } from 'node:timers/promises'
import { callWell } from '../test/support/api.ts'
import { adminKey } from '../test/support/server-process.ts'

/** Asking takes the service's time too: often asked, it would look like the copy's. */
const copiedPauseMs = 100

/** How far the replica is behind; null of a service without one. */
export async function replicaLagMs(url: string): Promise<number | null> {
  const { replica } = await callWell<{ replica?: { lagMs: number; time: string | null } }>(url, 'GET', '/readyz', {
    key: adminKey,
  })
  if (replica === undefined) return null
  return replica.time === null ? Number.POSITIVE_INFINITY : replica.lagMs
}

/** Resolves when the copy has all. */
export async function isCopied(url: string): Promise<void> {
  while ((await replicaLagMs(url)) !== 0) await sleep(copiedPauseMs)
}
