/** Moments of sealing and compaction at which a test may end the process. In production nothing is done at them. */
export type StoreStep =
  | 'seal-frozen'
  | 'seal-file-written'
  | 'seal-file-renamed'
  | 'seal-directory-synced'
  | 'registry-synced'
  | 'manifest-committed'
  | 'readers-switched'
  | 'journal-trimmed'
  | 'compact-chosen'
  | 'compact-file-written'
  | 'compact-file-renamed'
  | 'compact-directory-synced'
  | 'compact-manifest-committed'
  | 'compact-readers-switched'
  | 'compact-files-removed'

/** Called when a step is done; the promise is waited for. */
export type ReachStep = (step: StoreStep) => void | Promise<void>
