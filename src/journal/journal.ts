import type { Ingest } from '../model/ingest.ts'
import type { LineFormat } from '../model/line-format.ts'

/** The format of the rows of a push. */
export type BodyFormat = 'json' | 'ndjson' | LineFormat

/** The content of one push, with everything needed to validate it again with the same outcome. */
export interface JournalEntry {
  readonly ingestId: number
  /** The version of the ingest's fields that validates the rows. */
  readonly fieldsVersion: number
  readonly subscriberId: number
  readonly receivedMs: number
  /**
   * A `replay` is not a push: its body contains rows that were rejected before (`replayed-rows.ts`), and it has no rows of its own. `lost` is not
   * a push either: it covers the positions of pushes that are gone, a loss that an operator has accepted.
   */
  readonly format: BodyFormat | 'replay' | 'lost'
  /** For a replay into another ingest: the ingest whose rejected rows the body contains. The replay then has rows of its own, with positions. */
  readonly sourceIngestId?: number
  readonly idempotencyKey: string | null
  /** Rows in the body; an entry takes at least one position, even without rows. */
  readonly rows: number
  /** The body of a push as received, decompressed: JSON that was checked before it was accepted, or text in UTF-8. */
  readonly body: Uint8Array
}

/** An entry with its position: its rows have the positions from `position` up to `position + rows - 1`. */
export interface PlacedEntry extends JournalEntry {
  readonly position: number
}

/** The position after an entry, which is that of the next one. */
export function positionAfter(entry: Pick<PlacedEntry, 'position' | 'rows'>): number {
  return entry.position + Math.max(1, entry.rows)
}

/** The state of the journal when it was opened. */
export interface JournalRecovery {
  readonly segments: number
  readonly entries: number
  readonly bytes: number
  /** Bytes of an unfinished last entry that were cut off; it was never acknowledged. */
  readonly tornBytes: number
  readonly tornFile: string | null
}

/** The entity of an entry's rows, by which a journal of several partitions chooses one. */
export type JournalTarget = Pick<Ingest, 'entityId' | 'kind'>

/** The interface of every journal, wherever it is stored. */
export interface JournalWriter {
  /** Whether the journal accepts nothing now: a push would be refused. */
  readonly hasFailed: boolean
  /**
   * Resolves with the entry's position when it is on disk. An entry comes after all entries of its entity that were stored when it was appended
   * (with several partitions: those of its partition); a large one that is not stored yet may be overtaken by smaller ones. Throws Problem
   * `overloaded` when the backlog bound is reached or the disk is full, and `unavailable` when it cannot be stored.
   */
  append(entry: JournalEntry, target: JournalTarget): Promise<number>
  /** All entries of a metadata entity that were acknowledged so far are before this position. */
  endPosition(entityId: number): Promise<number>
  /** Waits for pending appends. */
  close(): Promise<void>
}

/** A file of the journal. */
export interface JournalSegment {
  readonly firstPosition: number
  /** The position after its last entry. */
  readonly endPosition: number
  readonly bytes: number
}

/** The journal of one process, in its own files. */
export interface LocalJournalWriter extends JournalWriter {
  readonly recovery: JournalRecovery
  /** Entries before this position have been deleted. */
  readonly firstPosition: number
  /** Everything before this position is on disk. */
  readonly durablePosition: number
  /** Bytes in the segments that still exist. */
  readonly bytes: number
  /** These segments in order, as far as they are on disk; the last one is being written. */
  readonly segments: readonly JournalSegment[]
  /** After a failed write or fsync nothing more is accepted until the journal is opened again. */
  append(entry: JournalEntry): Promise<number>
  /** Called with the new durable position after each write. */
  onDurable(listener: (position: number) => void): void
  /**
   * Called and awaited by each `trim` that is about to delete something, with the first position that will remain. A listener that needs more of
   * an entry than its rows, for example its idempotency key, must store it elsewhere by then. When it rejects, nothing is deleted.
   */
  beforeTrim(prepare: (firstPosition: number) => Promise<void>): void
  /** Ends the file being written and begins another. */
  rotate(): Promise<void>
  /** Deletes the segments without entries at or after `position`, and returns their number. */
  trim(position: number): Promise<number>
  /** Writes a mark that the end is whole. */
  close(): Promise<void>
}

/** The entries at a position have been deleted. */
export class NotInJournal extends Error {}

export interface JournalCursor {
  /**
   * Entries in order from `position` up to `untilPosition` (exclusive), with about `bytesMax` bytes of bodies; empty when there are none. Throws
   * NotInJournal when the position is before the first.
   */
  read(position: number, untilPosition: number, bytesMax: number): Promise<readonly PlacedEntry[]>
  close(): Promise<void>
}
