// The checks that every push must pass in either engine, and the levels that /metrics reports for them.
import type { Settings } from '../config/settings.ts'
import { Backlog } from '../ingest/limits/backlog.ts'
import type { DiskFloor } from '../ingest/limits/disk-floor.ts'
import { Intake } from '../ingest/limits/intake.ts'
import { KeyRates } from '../ingest/limits/key-rates.ts'
import type { RejectedSpace } from '../ingest/limits/rejected-space.ts'
import type { IngestProgress } from '../ingest/progress.ts'
import type { QuarantineCount } from '../ingest/quarantine/quarantine-count.ts'
import type { Levels } from '../observe/metrics.ts'
import type { ServiceParts } from './build-services.ts'

export interface OpenIntakeParts {
  readonly settings: Settings
  readonly progress: Pick<IngestProgress, 'processedThrough'>
  readonly disk: DiskFloor
  readonly rejectedSpace: RejectedSpace
  readonly quarantineCount: QuarantineCount
  /** The part of the journal that was not validated at the start: about this number of bytes before a position. */
  readonly waiting?: { readonly endPosition: number; readonly bytes: number }
  readonly nowMs: () => number
}

interface OpenedIntake {
  readonly limits: ServiceParts['limits']
  readonly levels: Pick<
    Levels,
    | 'journal_backlog_bytes'
    | 'disk_free_bytes'
    | 'rejected_kept_bytes'
    | 'rejected_kept_bytes_max'
    | 'quarantine_entries'
    | 'quarantine_rows'
  >
}

/** The caller keeps `disk`, `rejectedSpace` and `quarantineCount` up to date. */
export function openIntake({
  settings,
  progress,
  disk,
  rejectedSpace,
  quarantineCount,
  waiting,
  nowMs,
}: OpenIntakeParts): OpenedIntake {
  const { journal, limits } = settings
  const backlog = new Backlog(progress, journal.backlogBytes)
  if (waiting !== undefined && waiting.bytes > 0) backlog.add(waiting.endPosition, waiting.bytes)
  const { keyRowsPerSecond: rowsPerSecond, keyBytesPerSecond: bytesPerSecond } = limits
  const rates = new KeyRates({ rowsPerSecond, bytesPerSecond }, nowMs)
  return {
    limits: {
      intake: new Intake({ backlog, disk, rejected: rejectedSpace, rates }),
      disk,
      rejectedSpace,
      quarantineCount,
    },
    levels: {
      journal_backlog_bytes: () => backlog.bytes,
      disk_free_bytes: () => disk.freeBytes,
      rejected_kept_bytes: () => rejectedSpace.totalBytes,
      rejected_kept_bytes_max: () => rejectedSpace.mostBytes,
      quarantine_entries: () => quarantineCount.entries,
      quarantine_rows: () => quarantineCount.rows,
    },
  }
}
