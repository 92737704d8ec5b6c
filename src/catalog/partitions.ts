// State that the pipelines of a cluster share with each other and with the processes that serve requests. A partition is a partition of the journal: its
// positions start at its own offset (src/journal/partition-position.ts), and one pipeline at a time validates it, in order.
import type { Outcome, ReplayedRows, ReplayOutcome } from './catalog.ts'
import type { RejectedRow } from './rejected.ts'

export interface PartitionState {
  readonly partition: number
  /** Rejected rows, items and counts before it are stored in the catalog. Initially the partition's first position. */
  readonly keptPosition: number
  /** Rows before it are stored, or kept as rejected. Never greater than `keptPosition`. */
  readonly processedPosition: number
}

/** A push with an idempotency key. */
export interface KeyedEntry {
  readonly subscriberId: number
  readonly ingestId: number
  readonly key: string
  /** Hash of the body after decompression; all processes use the same hash. */
  readonly bodyHash: Uint8Array
  readonly position: number
  readonly rows: number
  readonly receivedMs: number
}

/** The place of a row that queries should return. */
export interface RowPlace {
  readonly position: number
  /** The row's time, in milliseconds since the epoch. */
  readonly ms: number
}

/** Rows of an ingest that a step passes on for storage, in the order in which they are written. */
export interface NewRows {
  readonly ingestId: number
  readonly entityId: number
  readonly rows: number
  /** A reader that sees this row sees all rows written before it. */
  readonly last: RowPlace
}

/** Rows recorded for storage that failed when they were validated again, before any query could see them. */
export interface WithdrawnRows {
  readonly ingestId: number
  readonly positions: ReadonlySet<number>
  /** The ingest's last row before them that is passed on again; null when all rows before them are committed. */
  readonly last: RowPlace | null
}

/** The number of rows of an ingest that one partition has passed on for storage, and the number of them known to be visible to queries. */
export interface StoredRows extends NewRows {
  readonly partition: number
  /** The end of the step that passed on the last of them: the count covers everything validated before it. */
  readonly throughPosition: number
  /** `throughPosition` of the last replay that stored some; 0 if there was none. */
  readonly replayedPosition: number
  /** Everything stored before this position is visible to queries. */
  readonly seenPosition: number
  readonly seenRows: number
}

/** The outcome of a replay, in the partition that validated it. */
export interface PartitionReplay extends ReplayOutcome {
  readonly partition: number
  readonly throughPosition: number
  /** The entity of the rows that pass, and the time of each row by position; null for items. */
  readonly rows: { readonly entityId: number; readonly times: ReadonlyMap<number, number> } | null
}

/** The outcome of validating a run of entries of one partition. */
export interface PartitionStep extends Outcome {
  readonly partition: number
  /** The expected `keptPosition` of the partition. If it differs, another pipeline has taken over the partition. */
  readonly fromPosition: number
  readonly throughPosition: number
  /** The number of validated rows of each ingest, including rejected ones. */
  readonly validated: readonly { readonly ingestId: number; readonly rows: number }[]
  /** The rows among them to store. */
  readonly stored: readonly NewRows[]
  readonly takenBack: readonly WithdrawnRows[]
}

export interface PartitionCatalog {
  partition(partition: number): Promise<PartitionState>
  /** Partitions that have a recorded state. */
  partitions(): Promise<readonly PartitionState[]>
  /**
   * Records which push each key belongs to, and returns the positions of entries that repeat another push. The first recorded push holds the key for a day (by
   * `receivedMs`), against pushes with the same body. Recording the same entry again does not make it a repetition.
   */
  settleKeys(entries: readonly KeyedEntry[]): Promise<ReadonlySet<number>>
  /**
   * Stores the outcome like `OutcomeCatalog.add`, counts the rows and advances `keptPosition`, in one transaction. Returns false, and stores nothing, when the
   * partition is not at `fromPosition`.
   */
  keep(step: PartitionStep): Promise<boolean>
  /** Stores rejected rows of steps already kept, like `OutcomeCatalog.add`, and subtracts the rows no longer to be stored, in one transaction. */
  keepAgain(partition: number, rejected: readonly RejectedRow[], takenBack: readonly WithdrawnRows[]): Promise<void>
  /** Like `OutcomeCatalog.replay`; rows that it stores are counted as passed on, in the same transaction. */
  replay(replay: PartitionReplay): Promise<ReplayedRows>
  /** Advances `processedPosition`; a lower position has no effect. */
  processed(partition: number, position: number): Promise<void>
  /** The last note of the partition's validator, for its successor; null when there is none. */
  note(partition: number): Promise<string | null>
  writeNote(partition: number, note: string): Promise<void>
  /** The total number of rows ever validated, by ingest id. */
  validatedRows(): Promise<ReadonlyMap<number, number>>
  /** Rows passed on for storage, by ingest and partition; only of `ingestId` if given. */
  storedRows(ingestId?: number): Promise<readonly StoredRows[]>
  /** Records that queries see these rows, as returned by `storedRows`. */
  seen(rows: readonly StoredRows[]): Promise<void>
}
