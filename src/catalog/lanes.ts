// What the pipelines of a cluster tell each other and the processes that answer requests. A lane is a partition of the journal: its positions
// begin at a place of their own (src/journal/lane-position.ts), and one pipeline at a time judges it, in order.
import type { Outcome } from './catalog.ts'

export interface LaneState {
  readonly lane: number
  /** What is before it is kept: rejected rows, items and counts. The lane's first position while nothing is. */
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

/** What a run of entries of one lane came to. */
export interface LaneStep extends Outcome {
  readonly lane: number
  /** What the lane's `keptPosition` must be: another one means that another pipeline has taken the lane over. */
  readonly fromPosition: number
  readonly throughPosition: number
  /** How many rows of each ingest were judged, rejected ones included. */
  readonly judged: readonly { readonly ingestId: number; readonly rows: number }[]
}

export interface LaneCatalog {
  lane(lane: number): Promise<LaneState>
  /** Those of which something is known. */
  lanes(): Promise<readonly LaneState[]>
  /**
   * Notes which push each key stands for, and resolves with the positions of those that repeat another: the first that is told holds the key
   * for a day (by `receivedMs`), against pushes of the same body. The same entry told again is no repetition of itself.
   */
  claimKeys(entries: readonly KeyedEntry[]): Promise<ReadonlySet<number>>
  /**
   * Keeps the outcome as `OutcomeCatalog.add`, counts the rows and moves `keptPosition` on, in one transaction. False, and nothing is kept, when
   * the lane is not at `fromPosition`.
   */
  keep(step: LaneStep): Promise<boolean>
  /** Moves `processedPosition` on; a position that is behind changes nothing. */
  processed(lane: number, position: number): Promise<void>
  /** What the judge of a lane wrote down last, for who comes after it; null when there is nothing. */
  note(lane: number): Promise<string | null>
  writeNote(lane: number, note: string): Promise<void>
  /** How many rows of each ingest were judged ever, by ingest id. */
  judgedRows(): Promise<ReadonlyMap<number, number>>
}
