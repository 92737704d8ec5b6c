import type { Ingest } from '../model/ingest.ts'
import type { LineFormat } from '../model/line-format.ts'

/** How the rows of a push are written. */
export type BodyFormat = 'json' | 'ndjson' | LineFormat

/** What was pushed in one request, and all that is needed to validate it again and get the same outcome. */
export interface JournalEntry {
  readonly ingestId: number
  /** The version of the ingest's fields that the rows are validated by. */
  readonly fieldsVersion: number
  readonly subscriberId: number
  readonly receivedMs: number
  /**
   * A replay is no push: its body holds rows that were rejected before (`replayed-rows.ts`), and it has no rows of its own. What was `lost` is none
   * either: so many positions were of pushes that are gone, and an operator has accepted that.
   */
  readonly format: BodyFormat | 'replay' | 'lost'
  /** Of a replay into another ingest: the ingest among whose rejected rows its rows are. It has rows of its own, which get its positions. */
  readonly sourceIngestId?: number
  readonly idempotencyKey: string | null
  /** Rows in the body; an entry takes at least one position, also when it holds none. */
  readonly rows: number
  /** The body of a push as it came, decompressed: JSON that was checked before it was accepted, or text in UTF-8. */
  readonly body: Uint8Array
}

/** An entry in its place: its rows have the positions from `position` up to `position + rows - 1`. */
export interface PlacedEntry extends JournalEntry {
  readonly position: number
}

/** The position after an entry: where the next one stands. */
export function positionAfter(entry: Pick<PlacedEntry, 'position' | 'rows'>): number {
  return entry.position + Math.max(1, entry.rows)
}

/** What was found when the journal was opened. */
export interface JournalRecovery {
  readonly segments: number
  readonly entries: number
  readonly bytes: number
  /** Bytes of an unfinished last entry that were cut off: it was never acknowledged. */
  readonly tornBytes: number
  readonly tornFile: string | null
}

/** Whose rows an entry holds: a journal of several partitions chooses by it. */
export type JournalTarget = Pick<Ingest, 'entityId' | 'kind'>

/** What every journal does, wherever it is. */
export interface JournalWriter {
  /** Whether it takes nothing now: a push to it would be refused. */
  readonly hasFailed: boolean
  /**
   * Resolves with the entry's position once it is on disk. An entry stands behind all entries of its entity that were stored when it was
   * given (with several partitions: those of its partition); one that is not stored yet, and large, may be overtaken by smaller ones. Throws Problem
   * `overloaded` when the backlog bound is reached or the disk is full, and `unavailable` when it cannot be stored.
   */
  append(entry: JournalEntry, target: JournalTarget): Promise<number>
  /** Everything of a metadata entity that was acknowledged so far is before this position. */
  endPosition(entityId: number): Promise<number>
  /** Waits for what was appended. */
  close(): Promise<void>
}

/** A file of the journal. */
export interface JournalSegment {
  readonly firstPosition: number
  /** The position after its last entry. */
  readonly endPosition: number
  readonly bytes: number
}

/** The journal of one process, in files of its own. */
export interface LocalJournalWriter extends JournalWriter {
  readonly recovery: JournalRecovery
  /** What was before this position has been deleted. */
  readonly firstPosition: number
  /** Everything before this position is on disk. */
  readonly durablePosition: number
  /** Bytes in segments that are still kept. */
  readonly bytes: number
  /** These segments in order, as far as they are on disk; the last one is being written. */
  readonly segments: readonly JournalSegment[]
  /** After a failed write or fsync nothing more is taken until it is opened again. */
  append(entry: JournalEntry): Promise<number>
  /** Called with the new durable position after each write. */
  onDurable(listener: (position: number) => void): void
  /**
   * Called and awaited by each `trim` that is about to delete something, with the first position that will be left: who needs more of an
   * entry than its rows (its idempotency key, say) keeps it elsewhere by then. When it rejects, nothing is deleted.
   */
  beforeTrim(prepare: (firstPosition: number) => Promise<void>): void
  /** Ends the file being written and begins another. */
  rotate(): Promise<void>
  /** Deletes the segments that hold nothing at or after `position`, and says how many these were. */
  trim(position: number): Promise<number>
  /** Leaves a mark that the end is whole. */
  close(): Promise<void>
}

/** What was at a position has been deleted. */
export class NotInJournal extends Error {}

export interface JournalCursor {
  /**
   * Entries in order from `position`, as far as `untilPosition` (exclusive), up to about `bytesMax` of bodies; empty when there are none. Throws
   * NotInJournal where the position is before the first.
   */
  read(position: number, untilPosition: number, bytesMax: number): Promise<readonly PlacedEntry[]>
  close(): Promise<void>
}
