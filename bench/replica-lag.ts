import { setTimeout as sleep } from 'node:timers/promises'
import { callOk } from '../test/support/api.ts'
import { adminKey } from '../test/support/server-process.ts'

/** Polling takes the service's CPU time too; frequent polling would be attributed to the copy. */
const copiedPauseMs = 100

/** The lag of the replica; null for a service without one. */
export async function replicaLagMs(url: string): Promise<number | null> {
  const { replica } = await callOk<{ replica?: { lagMs: number; time: string | null } }>(url, 'GET', '/readyz', {
    key: adminKey,
  })
  if (replica === undefined) return null
  return replica.time === null ? Number.POSITIVE_INFINITY : replica.lagMs
}

/** Resolves when the replica is complete. */
export async function isCopied(url: string): Promise<void> {
  while ((await replicaLagMs(url)) !== 0) await sleep(copiedPauseMs)
}
