// When the rows of a push, or of a replay, can be queried: judged by a pipeline, and read by Druid.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RejectedCatalog } from '../../catalog/catalog.ts'
import type { PlacedBatch } from '../../ingest/push.ts'
import type { JudgedAgain } from '../../ingest/replay/replays.ts'
import { Problem } from '../../model/problem.ts'
import type { LaneProgress } from '../../pipeline/lane-progress.ts'
import type { DruidStore } from '../../store/druid/druid-store.ts'

export interface BatchVisibilityParts {
  readonly progress: Pick<LaneProgress, 'waitFor'>
  readonly rejected: Pick<RejectedCatalog, 'ofBatch'>
  readonly store: Pick<DruidStore, 'countPositions'>
}

/** Druid takes a moment from a row to its being there, so asking more often finds nothing. */
const askEveryMs = 50

/** Resolves once all rows of the batch that are stored are seen by queries, and are in the counters of its ingest; rejects with the signal's reason. */
export async function batchIsQueryable(
  { progress, rejected, store }: BatchVisibilityParts,
  { ingest, position, rows }: PlacedBatch,
  signal: AbortSignal,
): Promise<void> {
  await progress.waitFor(position + rows, signal)
  if (ingest.kind === 'metadata') return
  const { count } = await rejected.ofBatch(ingest.id, position, 0)
  const seen = (): Promise<number> => store.countPositions(ingest.entityId, position, position + rows, null)
  await untilSeen(seen, rows - count, signal)
}

/**
 * Resolves once the rows that a replay stored are seen by queries, after `waitMs` in any case; rejects with the signal's reason. They were judged
 * before.
 */
export async function replayIsQueryable(
  { store, waitMs }: { readonly store: Pick<DruidStore, 'countAt'>; readonly waitMs: number },
  { ingest, positions, stored }: JudgedAgain,
  signal: AbortSignal,
): Promise<void> {
  if (ingest.kind === 'metadata' || stored === 0) return
  const timeout = AbortSignal.timeout(waitMs)
  try {
    await untilSeen(() => store.countAt(ingest.entityId, positions), stored, AbortSignal.any([signal, timeout]))
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error
  }
}

async function untilSeen(seen: () => Promise<number>, rows: number, signal: AbortSignal): Promise<void> {
  const areThere = async (): Promise<boolean> => {
    try {
      return (await seen()) >= rows
    } catch (error) {
      // They are kept, whatever Druid is busy with: nobody should send them again.
      if (error instanceof Problem && error.status === 503) return false
      throw error
    }
  }
  while (!(await areThere())) await sleep(askEveryMs, undefined, { signal })
}
