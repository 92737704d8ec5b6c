// Internal events, as one union of plain data. Sinks decide which become a log line, a metric or nothing.

/** The outcome for an ingest's rows in one step. Each row counts once, however often it is validated. */
export interface IngestOutcome {
  readonly ingestId: number
  readonly stored: number
  readonly rejected: number
}

export type ServiceEvent =
  | ClusterEvent
  | {
      readonly kind: 'journalOpened'
      readonly segments: number
      readonly entries: number
      readonly bytes: number
      readonly tornBytes: number
      readonly tornFile: string | null
      readonly ms: number
    }
  | {
      readonly kind: 'journalWritten'
      readonly entries: number
      readonly rows: number
      readonly bytes: number
      readonly ms: number
    }
  /** The rows of a push are in the journal. */
  | { readonly kind: 'pushTaken'; readonly ingestId: number; readonly rows: number; readonly receivedMs: number }
  | { readonly kind: 'journalFailed'; readonly file: string; readonly message: string }
  | {
      readonly kind: 'rowsValidated'
      /** Rows validated for the first time, as far as is known. */
      readonly rows: number
      /** Rows newly kept as rejected, out of all validated rows. */
      readonly rejected: number
      /** Rows that had been validated before, and whose outcome does not change. */
      readonly again: number
      /** `rows` and `rejected` by ingest, without the rows that had been validated before. */
      readonly ingests: readonly IngestOutcome[]
      readonly ms: number
    }
  /** `stored` rows left the list of rejected rows; 0 if the replay had been validated before. */
  | { readonly kind: 'rowsReplayed'; readonly ingestId: number; readonly rows: number; readonly stored: number }
  /** The validator ended while it processed these entries: `deaths` times so far on its own, `kills` times with its process, for any reason. */
  | {
      readonly kind: 'validationEnded'
      readonly position: number
      readonly entries: number
      readonly deaths: number
      readonly kills: number
    }
  /** `rows` rows of a journal entry are no longer validated, and are kept as rejected. */
  | {
      readonly kind: 'entryQuarantined'
      readonly position: number
      readonly ingestId: number
      readonly rows: number
      readonly level: number
    }
  | { readonly kind: 'storeStarted'; readonly validatedAgainRows: number; readonly ms: number }
  /** The store's start is blocked for a reason that only the operator can remove. */
  | { readonly kind: 'startBlocked'; readonly reason: string }
  | { readonly kind: 'storeDied'; readonly message: string; readonly restartInMs: number }
  | {
      readonly kind: 'sealed'
      /** Rows before this position are in files now. */
      readonly position: number
      readonly files: number
      readonly rows: number
      readonly bytes: number
      readonly ms: number
    }
  /** The free space fell below `journal.diskWarnBytes`, or is sufficient again. */
  | {
      readonly kind: 'diskFilling' | 'diskRecovered'
      readonly disk: string
      readonly freeBytes: number
      readonly floorBytes: number
    }
  | { readonly kind: 'sealFailed'; readonly message: string; readonly retryInMs: number }
  | { readonly kind: 'validationFailed'; readonly message: string; readonly retryInMs: number }
  | {
      readonly kind: 'merged'
      readonly entityId: number
      readonly merged: number
      readonly files: number
      readonly rows: number
      readonly bytes: number
      readonly ms: number
    }
  | { readonly kind: 'mergeFailed'; readonly message: string; readonly retryInMs: number }
  | { readonly kind: 'dropFailed'; readonly message: string; readonly retryInMs: number }
  | { readonly kind: 'expiredFilesDeleted'; readonly files: number; readonly rows: number }
  | { readonly kind: 'removalFailed'; readonly name: string; readonly message: string }
  /** A query found the damage, and failed with an error. */
  | { readonly kind: 'fileDamaged'; readonly path: string; readonly message: string }
  | { readonly kind: 'storeOpened'; readonly files: number; readonly position: number }
  | { readonly kind: 'orphansRemoved'; readonly names: readonly string[] }
  /** Other users could read this number of folders and files of the data folder; their permissions were removed. */
  | { readonly kind: 'permissionsTightened'; readonly files: number }
  /** Other users can read folders and files of the data folder whose permissions this process may not change; `path` is the first of them. */
  | { readonly kind: 'permissionsTooOpen'; readonly path: string; readonly files: number }
  | { readonly kind: 'journalTrimmed'; readonly position: number; readonly segments: number }
  | { readonly kind: 'journalTrimFailed'; readonly message: string }
  | {
      readonly kind: 'backupMade'
      readonly path: string
      readonly files: number
      readonly bytes: number
      readonly ms: number
    }
  | { readonly kind: 'backupFailed'; readonly message: string }
  /** The replica cannot be written. Retried, unless another process has taken it over. */
  | { readonly kind: 'replicaFailed'; readonly message: string }
  | {
      readonly kind: 'replicaBehind'
      readonly position: number
      readonly lagMs: number
      readonly lagBytes: number
      readonly error: string | null
    }
  | { readonly kind: 'replicaCaughtUp'; readonly position: number }
  | { readonly kind: 'checkFailed'; readonly message: string }
  | {
      readonly kind: 'requestServed'
      readonly id: string
      readonly method: string
      readonly route: string
      readonly status: number
      readonly ms: number
    }
  | {
      readonly kind: 'requestFailed'
      readonly id: string
      readonly method: string
      readonly route: string
      readonly error: unknown
    }
  | {
      readonly kind: 'queryAnswered'
      readonly query: string
      readonly rows: number
      readonly bytes: number
      readonly ms: number
    }
  | { readonly kind: 'sqlEngineStarted'; readonly processId: number; readonly ms: number }
  /** The engine's own message, for an error without a specific message of the service. The caller got a general one. */
  | { readonly kind: 'sqlEngineRefused'; readonly message: string }
  | { readonly kind: 'sqlEngineDied'; readonly message: string; readonly restartInMs: number }
  /** A request with an unknown key. Once a minute `unreported` is the number of such requests since it was last reported; otherwise it is null. */
  | { readonly kind: 'keyRefused'; readonly ip: string; readonly unreported: number | null }
  /** Other machines can read without a key. */
  | { readonly kind: 'readingIsPublic'; readonly warning: string }
  /** The service uses this certificate for TLS from now on. */
  | { readonly kind: 'certificateLoaded'; readonly path: string; readonly validUntilMs: number }
  /** The files of the certificate changed, but are invalid: the old certificate stays in use. */
  | { readonly kind: 'certificateRefused'; readonly message: string }
  | { readonly kind: 'serverListening'; readonly url: string }
  | { readonly kind: 'serverStopping'; readonly signal: string }
  | { readonly kind: 'serverStopped'; readonly ms: number }

/** Events that occur only in a cluster. */
export type ClusterEvent =
  | { readonly kind: 'journalReached'; readonly topic: string; readonly partitions: number; readonly ms: number }
  | { readonly kind: 'journalAway'; readonly topic: string; readonly message: string }
  /** Kafka has deleted messages that were not validated yet. */
  | {
      readonly kind: 'journalGap'
      readonly topic: string
      readonly partition: number
      readonly fromOffset: number
      readonly toOffset: number
    }
  /** Messages that are no longer needed were deleted from Kafka. */
  | {
      readonly kind: 'topicTrimmed'
      readonly topic: string
      readonly partition: number
      readonly beforeOffset: number
    }
  /** Kafka, Druid or PostgreSQL does not respond. */
  | { readonly kind: 'partAway'; readonly part: string; readonly message: string }
  | { readonly kind: 'partBack'; readonly part: string }
  /** New or changed entities were submitted to Druid. */
  | { readonly kind: 'supervisorsChanged'; readonly entityIds: readonly number[] }
  /** Entities received slots of Druid, or returned them. */
  | { readonly kind: 'slotsMoved'; readonly woken: readonly number[]; readonly resting: readonly number[] }
  /** The set of entities that have rows but no slots changed; empty when all have what they need. */
  | { readonly kind: 'waitingForSlots'; readonly entities: readonly string[]; readonly freeSlots: number }
  /** Druid's JVM has other offsets for some zones than the service, whose tz database has this version. */
  | {
      readonly kind: 'timeZonesDiffer'
      /** Some of the zones. */
      readonly zones: readonly string[]
      readonly differing: number
      readonly version: string
    }
  | { readonly kind: 'entityRemoved'; readonly entityId: number }
  | { readonly kind: 'partitionTaken'; readonly partition: number; readonly position: number }
  | { readonly kind: 'partitionLeft'; readonly partition: number }
  | {
      readonly kind: 'partitionFailed'
      readonly partition: number
      readonly message: string
      readonly retryInMs: number
    }

export type Observe = (event: ServiceEvent) => void

/** One sink that passes each event to all of these, in order. */
export function combineSinks(...sinks: readonly Observe[]): Observe {
  return (event) => {
    for (const sink of sinks) sink(event)
  }
}
