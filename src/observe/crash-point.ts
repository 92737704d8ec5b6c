// Named places where a crash could leave work half done. They do nothing in production. The crash tests kill the process at each of them; a place that
// is missing from this table is not tested.

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

/** Crash points of replays, dropped entities and retention, in both threads. */
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

/** Crash points of deletions of rows. */
export const deletionCrashPoints = ['deletion-found', 'deletion-recorded'] as const

export const restoreCrashPoints = [
  'restore-begun',
  'restore-file-copied',
  'restore-files-copied',
  'restore-renamed',
] as const

/** Crash points of the replica, and of a data folder restored from it. */
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

/** Crash points of journal entries that crash the validator. */
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

/** Called when a crash point is reached; work continues when it returns. */
export type Reach = (point: CrashPoint) => void
