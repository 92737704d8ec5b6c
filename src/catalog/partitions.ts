// What the pipelines of a cluster tell each other and the processes that answer requests. A partition is a partition of the journal: its positions
// begin at a place of their own (src/journal/partition-position.ts), and one pipeline at a time validates it, in order.
import type { Outcome, ReplayedRows, ReplayOutcome } from './catalog.ts'
import type { RejectedRow } from './rejected.ts'

export interface PartitionState {
  readonly partition: number
  /** What is before it is kept: rejected rows, items and counts. The partition's first position while nothing is. */
  readonly keptPosition: number
  /** Rows before it are stored, or kept as rejected. Never ahead of `keptPosition`. */
  readonly processedPosition: number
}

/** A push that came with an idempotency key. */
export interface KeyedEntry {
  readonly subscriberId: number
  readonly ingestId: number
  readonly key: string
  /** Of the body after decompression; all processes hash in one way. */
  readonly bodyHash: Uint8Array
  readonly position: number
  readonly rows: number
  readonly receivedMs: number
}

/** Where a row is that queries are to see. */
export interface RowPlace {
  readonly position: number
  /** Its time. */
  readonly ms: number
}

/** Rows of an ingest that a step hands on to be stored, in the order in which they are written. */
export interface NewRows {
  readonly ingestId: number
  readonly entityId: number
  readonly rows: number
  /** Whoever sees it sees all that were written before it. */
  readonly last: RowPlace
}

/** Rows that were noted to be stored, and that do not pass where they are validated once more before anybody could see them. */
export interface TakenBack {
  readonly ingestId: number
  readonly positions: ReadonlySet<number>
  /** The last of the ingest's rows before them that is handed on again; null where all before them are committed. */
  readonly last: RowPlace | null
}

/** How many rows of an ingest one partition has handed on to be stored, and how many of them queries were found to see. */
export interface StoredRows extends NewRows {
  readonly partition: number
  /** Where the step ends that the last of them came in: what is validated by then is what they are. */
  readonly throughPosition: number
  /** As `throughPosition`, of the last replay that stored some; 0 where there was none. */
  readonly replayedPosition: number
  /** All that was stored before it is seen. */
  readonly seenPosition: number
  readonly seenRows: number
}

/** A replay's outcome, in the partition that it is validated in. */
export interface PartitionReplay extends ReplayOutcome {
  readonly partition: number
  readonly throughPosition: number
  /** The entity of the rows that pass, and the time of each by its position; null of items. */
  readonly rows: { readonly entityId: number; readonly times: ReadonlyMap<number, number> } | null
}

/** What a run of entries of one partition came to. */
export interface PartitionStep extends Outcome {
  readonly partition: number
  /** What the partition's `keptPosition` must be: another one means that another pipeline has taken the partition over. */
  readonly fromPosition: number
  readonly throughPosition: number
  /** How many rows of each ingest were validated, rejected ones included. */
  readonly validated: readonly { readonly ingestId: number; readonly rows: number }[]
  /** The rows among them that are to be stored. */
  readonly stored: readonly NewRows[]
  readonly takenBack: readonly TakenBack[]
}

export interface PartitionCatalog {
  partition(partition: number): Promise<PartitionState>
  /** Those of which something is known. */
  partitions(): Promise<readonly PartitionState[]>
  /**
   * Notes which push each key stands for, and resolves with the positions of those that repeat another: the first that is told holds the key
   * for a day (by `receivedMs`), against pushes of the same body. The same entry told again is no repetition of itself.
   */
  settleKeys(entries: readonly KeyedEntry[]): Promise<ReadonlySet<number>>
  /**
   * Keeps the outcome as `OutcomeCatalog.add`, counts the rows and moves `keptPosition` on, in one transaction. False, and nothing is kept, when
   * the partition is not at `fromPosition`.
   */
  keep(step: PartitionStep): Promise<boolean>
  /** Rejected rows of steps that are kept already, as `OutcomeCatalog.add`, and what does not count as handed on for them, in one transaction. */
  keepAgain(partition: number, rejected: readonly RejectedRow[], takenBack: readonly TakenBack[]): Promise<void>
  /** As `OutcomeCatalog.replay`; what it stores counts as handed on, in the same transaction. */
  replay(replay: PartitionReplay): Promise<ReplayedRows>
  /** Moves `processedPosition` on; a position that is behind changes nothing. */
  processed(partition: number, position: number): Promise<void>
  /** What the validator of a partition wrote down last, for who comes after it; null when there is nothing. */
  note(partition: number): Promise<string | null>
  writeNote(partition: number, note: string): Promise<void>
  /** How many rows of each ingest were validated ever, by ingest id. */
  validatedRows(): Promise<ReadonlyMap<number, number>>
  /** What ingests have handed on, by partition; of one ingest alone where it is named. */
  storedRows(ingestId?: number): Promise<readonly StoredRows[]>
  /** Notes that queries see these rows, as they were told by `storedRows`. */
  seen(rows: readonly StoredRows[]): Promise<void>
}
