import type { IngestOutcome } from '../observe/event.ts'
import { rowsFrom, rowsOf, type ValidatedRun } from './entry-validator.ts'

/**
 * New outcomes in these runs, by ingest. Rows before `countedPosition` were counted when they were validated before; of those, only rejected
 * rows that were not kept until now are new.
 */
export function validatedByIngest(runs: readonly ValidatedRun[], countedPosition: number): readonly IngestOutcome[] {
  const ingests = new Map<number, IngestOutcome>()
  for (const run of runs) {
    const rejected = run.rejected.length
    const stored = run.kind === null ? 0 : newlyStored(run, countedPosition)
    if (stored === 0 && rejected === 0) continue
    const before = ingests.get(run.ingestId)
    ingests.set(run.ingestId, {
      ingestId: run.ingestId,
      stored: (before?.stored ?? 0) + stored,
      rejected: (before?.rejected ?? 0) + rejected,
    })
  }
  return [...ingests.values()]
}

function newlyStored({ spans, rejected, rejectedRows }: ValidatedRun, countedPosition: number): number {
  const rows = rowsFrom(spans, countedPosition)
  // Rows rejected before are among the rows counted before, if there are any.
  const bad =
    rows === rowsOf(spans) ? rejectedRows : rejected.filter(({ position }) => position >= countedPosition).length
  return Math.max(0, rows - bad)
}
