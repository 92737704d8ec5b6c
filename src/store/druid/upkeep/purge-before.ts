// Permanently deletes expired rows, including those that a task of Druid holds, which cannot be marked as unused.
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../../../model/problem.ts'
import type { DruidStore } from '../druid-store.ts'
import type { Supervisors } from '../supervision/supervisors.ts'

export interface PurgeParts {
  readonly supervisors: Pick<Supervisors, 'purge' | 'handOver'>
  readonly store: Pick<DruidStore, 'countPositions'>
  /** Time limit of the deletion. Tasks publish their rows first. */
  readonly timeoutMs: number
  readonly pollEveryMs: number
}

/**
 * Resolves when Druid no longer returns rows of an entity before a date. Rows of such dates that are pushed meanwhile may be deleted too. Throws
 * Problem `unavailable` when Druid does not finish in time. Completed work is kept, so the call may be repeated.
 */
export async function purgeBefore(entityId: number, beforeMs: number, parts: PurgeParts): Promise<void> {
  const { supervisors, store, timeoutMs, pollEveryMs } = parts
  const signal = AbortSignal.timeout(timeoutMs)
  const range = { fromMs: Number.NEGATIVE_INFINITY, toMs: beforeMs - 1 }
  const isGone = async (): Promise<boolean> =>
    (await store.countPositions(entityId, 0, Number.MAX_SAFE_INTEGER, range)) === 0
  const wasGone = await isGone()
  await supervisors.purge(entityId, beforeMs)
  if (wasGone) return
  try {
    await supervisors.handOver(entityId, signal)
    // Deletes the rows that the tasks have published meanwhile.
    await supervisors.purge(entityId, beforeMs)
    while (!(await isGone())) await sleep(pollEveryMs, undefined, { signal })
  } catch (error) {
    if (signal.aborted) throw stillThere()
    throw error
  }
}

function stillThere(): Problem {
  return new Problem(
    'unavailable',
    'The retention is saved, but Druid still holds expired rows, so older rows are not shown yet. The removal is retried automatically.',
    { retryAfterS: 30 },
  )
}
