// What happens inside, as one union of plain data. Sinks decide what becomes a log line, a metric or nothing.

/** What became of an ingest's rows in one step, each row counted once however often it is validated. */
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
      /** For the first time, as far as anybody knows. */
      readonly rows: number
      /** Of all rows that were validated, those that are kept as rejected since then. */
      readonly rejected: number
      /** Rows that were validated before, and whose outcome stays what it was. */
      readonly again: number
      /** The first two by ingest: what was validated before is left out. */
      readonly ingests: readonly IngestOutcome[]
      readonly ms: number
    }
  /** `stored` rows left the list of rejected ones; none when the replay was validated before. */
  | { readonly kind: 'rowsReplayed'; readonly ingestId: number; readonly rows: number; readonly stored: number }
  /** The validator had ended while it was at these entries, so many times by now: by itself, or with its process, for whatever reason that ended. */
  | {
      readonly kind: 'validationEnded'
      readonly position: number
      readonly entries: number
      readonly deaths: number
      readonly kills: number
    }
  /** So many rows of an entry of the journal are not validated any more, and kept as rejected. */
  | {
      readonly kind: 'entryQuarantined'
      readonly position: number
      readonly ingestId: number
      readonly rows: number
      readonly level: number
    }
  | { readonly kind: 'storeStarted'; readonly validatedAgainRows: number; readonly ms: number }
  /** The store cannot go on with its start, for a reason that only the operator can mend. */
  | { readonly kind: 'startBlocked'; readonly reason: string }
  | { readonly kind: 'storeDied'; readonly message: string; readonly restartInMs: number }
  | {
      readonly kind: 'sealed'
      /** Rows before it are in files now. */
      readonly position: number
      readonly files: number
      readonly rows: number
      readonly bytes: number
      readonly ms: number
    }
  /** Less is free than `journal.diskWarnBytes`, or enough again. */
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
  /** A query met it, and was answered with an error. */
  | { readonly kind: 'fileDamaged'; readonly path: string; readonly message: string }
  | { readonly kind: 'storeOpened'; readonly files: number; readonly position: number }
  | { readonly kind: 'orphansRemoved'; readonly names: readonly string[] }
  /** Other users could read so many folders and files of the data folder; they cannot any more. */
  | { readonly kind: 'permissionsTightened'; readonly files: number }
  /** Other users may read folders and files of the data folder that this process may not change; the first of them is named. */
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
  /** The replica cannot be written; it is tried on, unless another has taken it over. */
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
  /** In words of the engine for which none of ours are known: the caller was told general ones. */
  | { readonly kind: 'sqlEngineRefused'; readonly message: string }
  | { readonly kind: 'sqlEngineDied'; readonly message: string; readonly restartInMs: number }
  /** A request showed a key that is not known. Once a minute `untold` says how many have since it was said last. */
  | { readonly kind: 'keyRefused'; readonly ip: string; readonly untold: number | null }
  /** Others than this machine read without a key. */
  | { readonly kind: 'readingIsPublic'; readonly warning: string }
  /** The service speaks TLS with it from now on. */
  | { readonly kind: 'certificateLoaded'; readonly path: string; readonly validUntilMs: number }
  /** The files of the certificate are others, and no good: the old one stays in force. */
  | { readonly kind: 'certificateRefused'; readonly message: string }
  | { readonly kind: 'serverListening'; readonly url: string }
  | { readonly kind: 'serverStopping'; readonly signal: string }
  | { readonly kind: 'serverStopped'; readonly ms: number }

/** What happens in a cluster and nowhere else. */
export type ClusterEvent =
  | { readonly kind: 'journalReached'; readonly topic: string; readonly partitions: number; readonly ms: number }
  | { readonly kind: 'journalAway'; readonly topic: string; readonly message: string }
  /** Kafka has deleted what was not validated yet. */
  | {
      readonly kind: 'journalGap'
      readonly topic: string
      readonly partition: number
      readonly fromOffset: number
      readonly toOffset: number
    }
  /** What was needed no more was deleted from Kafka. */
  | {
      readonly kind: 'topicTrimmed'
      readonly topic: string
      readonly partition: number
      readonly beforeOffset: number
    }
  /** One of Kafka, Druid and PostgreSQL does not answer. */
  | { readonly kind: 'partAway'; readonly part: string; readonly message: string }
  | { readonly kind: 'partBack'; readonly part: string }
  /** Druid was told of entities that are new or changed. */
  | { readonly kind: 'supervisorsChanged'; readonly entityIds: readonly number[] }
  /** Entities were given slots of Druid, or gave them back. */
  | { readonly kind: 'slotsMoved'; readonly woken: readonly number[]; readonly resting: readonly number[] }
  /** The entities that have rows and no slots are others than before; none when all have what they need. */
  | { readonly kind: 'waitingForSlots'; readonly entities: readonly string[]; readonly freeSlots: number }
  /** Druid's JVM tells other offsets of some zones than the service, whose rules are of this version of the tz database. */
  | {
      readonly kind: 'timeZonesDiffer'
      /** Some of them. */
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

/** One sink that hands each event to all of these, in order. */
export function combineSinks(...sinks: readonly Observe[]): Observe {
  return (event) => {
    for (const sink of sinks) sink(event)
  }
}
