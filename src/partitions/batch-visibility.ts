// Determines when the rows of a push or a replay can be queried: after a pipeline has validated them, and Druid has read them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Definitions } from '../catalog/definitions.ts'
import type { PartitionCatalog, RowPlace } from '../catalog/partitions.ts'
import type { RejectedCatalog } from '../catalog/rejected.ts'
import type { BatchKey } from '../ingest/batch-id.ts'
import type { PlacedBatch } from '../ingest/push.ts'
import type { ValidatedAgain } from '../ingest/replay/replays.ts'
import { partitionOf } from '../journal/partition-position.ts'
import type { PositionRange } from '../model/deletion.ts'
import { Problem } from '../model/problem.ts'
import type { DruidStore } from '../store/druid/druid-store.ts'
import type { PartitionProgress } from './partition-progress.ts'
import { type IsSeen, seenOf, unseenOf } from './visibility-watch.ts'

type CountsPositions = Pick<DruidStore, 'countPositions'>

export interface BatchVisibilityParts {
  readonly progress: Pick<PartitionProgress, 'waitFor' | 'checkVisible'>
  readonly rejected: Pick<RejectedCatalog, 'ofBatch'>
  readonly store: CountsPositions
}

export interface RowVisibilityParts {
  readonly journal: { acknowledged(): Promise<readonly PositionRange[]> }
  readonly progress: Pick<PartitionProgress, 'waitFor'>
  readonly partitions: Pick<PartitionCatalog, 'storedRows'>
  readonly isSeen: IsSeen
}

/** Druid needs a moment to make a row visible, so polling more often is useless. */
const pollEveryMs = 50

/** Resolves when queries see all stored rows of the batch, and the counters of its ingest include them. Rejects with the signal's reason. */
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
  await progress.checkVisible(ingest.id)
}

/**
 * The number of stored rows of a batch that queries do not see yet: zero if the pipelines have found that they do, all rows while Druid does not respond.
 * Expired rows count as unseen only for a moment, until the newest rows of the ingest are seen.
 */
export async function unseenRows(
  { partitions, store }: { readonly partitions: Pick<PartitionCatalog, 'storedRows'>; readonly store: CountsPositions },
  { ingestId, position, rows }: BatchKey,
  stored: number,
): Promise<number> {
  const noted = (await partitions.storedRows(ingestId)).find(({ partition }) => partition === partitionOf(position))
  if (noted === undefined) return 0
  const { entityId, seenPosition, replayedPosition } = noted
  // A replay that is not seen yet may have stored rows of any batch.
  if (seenPosition >= position + rows && seenPosition >= replayedPosition) return 0
  const seen = await orNone(store.countPositions(entityId, position, position + rows, null))
  return Math.max(0, stored - seen)
}

/**
 * Waits until queries see the stored rows among those of an entity that were acknowledged so far. Resolves with the positions of the acknowledged rows;
 * rejects with the signal's reason.
 */
export async function rowsAreQueryable(
  { journal, progress, partitions, isSeen }: RowVisibilityParts,
  entityId: number,
  signal: AbortSignal,
): Promise<readonly PositionRange[]> {
  const ranges = await journal.acknowledged()
  await Promise.all(ranges.map(({ before }) => progress.waitFor(before, signal)))
  const stored = await partitions.storedRows()
  let unseen = unseenOf(stored).filter((rows) => rows.entityId === entityId)
  for (;;) {
    const seen = await seenOf(unseen, isSeen)
    unseen = unseen.filter((rows) => !seen.includes(rows))
    if (unseen.length === 0) return ranges
    await sleep(pollEveryMs, undefined, { signal })
  }
}

/** Implements `IsSeen`. */
export async function rowIsSeen(
  { store, definitions }: { readonly store: CountsPositions; readonly definitions: Pick<Definitions, 'entities'> },
  entityId: number,
  { position, ms }: RowPlace,
): Promise<boolean> {
  const sinceMs = definitions.entities().find(({ id }) => id === entityId)?.sinceMs ?? null
  // A row that was older than the retention when it was pushed is never shown, and Druid may have dropped it before this check.
  if (sinceMs !== null && ms < sinceMs) return true
  return (await store.countPositions(entityId, position, position + 1, { fromMs: ms, toMs: ms })) > 0
}

/**
 * Resolves when queries see the rows that a replay stored, or after `waitMs`; rejects with the signal's reason. The rows were validated before.
 */
export async function replayIsQueryable(
  {
    progress,
    store,
    waitMs,
  }: {
    readonly progress: Pick<PartitionProgress, 'checkVisible'>
    readonly store: Pick<DruidStore, 'countAt'>
    readonly waitMs: number
  },
  { ingest, positions, stored }: ValidatedAgain,
  signal: AbortSignal,
): Promise<void> {
  if (ingest.kind === 'metadata' || stored === 0) return
  const timeout = AbortSignal.timeout(waitMs)
  try {
    await untilSeen(() => store.countAt(ingest.entityId, positions), stored, AbortSignal.any([signal, timeout]))
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error
  }
  await progress.checkVisible(ingest.id)
}

async function untilSeen(seen: () => Promise<number>, rows: number, signal: AbortSignal): Promise<void> {
  while (rows > 0 && (await orNone(seen())) < rows) await sleep(pollEveryMs, undefined, { signal })
}

/** Zero while Druid is unavailable. The rows are stored all the same, so the request must not fail: nobody should send them again. */
async function orNone(seen: Promise<number>): Promise<number> {
  try {
    return await seen
  } catch (error) {
    if (error instanceof Problem && error.status === 503) return 0
    throw error
  }
}
