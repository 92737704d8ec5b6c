// The places where a crash could leave things half done, by name. Nothing happens there in production: the crash tests kill the process
// at each of them, so one that is not in this table is not proved.

export const storeCrashPoints = [
  'seal-frozen',
  'seal-file-written',
  'seal-file-renamed',
  'seal-directory-synced',
  'registry-synced',
  'manifest-committed',
  'readers-switched',
  'merge-chosen',
  'merge-file-written',
  'merge-file-renamed',
  'merge-directory-synced',
  'merge-manifest-committed',
  'merge-readers-switched',
  'merge-files-removed',
] as const

export const serviceCrashPoints = [
  'journal-rotated',
  'journal-trimmed',
  'backup-held',
  'backup-catalog-copied',
  'backup-files-copied',
  'backup-journal-copied',
  'backup-manifest-written',
  'backup-renamed',
] as const

/** What replays, dropped entities and retention do; of both threads. */
export const lifecycleCrashPoints = [
  'replay-journaled',
  'replay-taken',
  'ingest-deleted',
  'drop-begun',
  'drop-manifest-committed',
  'drop-removed',
  'retention-recorded',
  'leave-hours-written',
  'leave-manifest-committed',
  'leave-readers-switched',
] as const

/** Of rows that are deleted. */
export const deletionCrashPoints = ['deletion-found', 'deletion-recorded'] as const

export const restoreCrashPoints = [
  'restore-begun',
  'restore-file-copied',
  'restore-files-copied',
  'restore-renamed',
] as const

/** Of the replica, and of a folder that is made of it. */
export const replicaCrashPoints = [
  'replica-claimed',
  'replica-catalog-copied',
  'replica-parts-written',
  'replica-moment-written',
  'replica-moment-committed',
  'replica-journal-written',
  'replica-deleted',
] as const

export const replicaRestoreCrashPoints = [
  'replica-restore-begun',
  'replica-restore-file-written',
  'replica-restore-journal-written',
  'replica-restore-renamed',
] as const

/** Of entries that end the validator. */
export const quarantineCrashPoints = ['quarantine-recorded'] as const

export type CrashPoint =
  | (typeof storeCrashPoints)[number]
  | (typeof serviceCrashPoints)[number]
  | (typeof lifecycleCrashPoints)[number]
  | (typeof deletionCrashPoints)[number]
  | (typeof restoreCrashPoints)[number]
  | (typeof replicaCrashPoints)[number]
  | (typeof replicaRestoreCrashPoints)[number]
  | (typeof quarantineCrashPoints)[number]

/** Told when one is reached; work goes on when it returns. */
export type Reach = (point: CrashPoint) => void
