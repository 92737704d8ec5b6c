// Journal entries that crashed the validator repeatedly and are no longer validated.
import type { LineFormat } from '../model/line-format.ts'

/** How quarantined rows are kept: 1 with their text, 2 without it because even splitting the body crashed the validator. */
export type QuarantineLevel = 1 | 2

/** The decision about an entry. Valid for as long as the journal may be validated again. */
export interface QuarantineDecision {
  /** Position of the entry. */
  readonly position: number
  /** Rows of the entry from this position on are rejected as `not_validated`; rows before it are validated. */
  readonly fromPosition: number
  readonly level: QuarantineLevel
}

/** A quarantine decision with the entry's properties from the journal. */
export interface QuarantinedEntry extends QuarantineDecision {
  readonly ingestId: number
  readonly fieldsVersion: number
  readonly subscriberId: number
  readonly receivedMs: number
  readonly format: 'json' | 'ndjson' | 'replay' | LineFormat
  readonly rows: number
  readonly bodyBytes: number
  readonly quarantinedMs: number
  /** Whether an operator has released the entry, and its body is deleted. */
  readonly isReleased: boolean
}

export interface QuarantineCatalog {
  /** All entries, ordered by position. */
  list(): Promise<readonly QuarantinedEntry[]>
  /** Stores the entry, its body and the decision, durably before this resolves. For an entry already quarantined only the level changes. */
  add(entry: Omit<QuarantinedEntry, 'bodyBytes' | 'isReleased'>, body: Uint8Array): Promise<void>
  /** One part of the body, numbered from 0; null after the last part. */
  bodyPart(position: number, part: number): Promise<Uint8Array | null>
  /** Deletes the body and keeps the decision. Returns false when there is no such entry, or when it was released before. */
  release(position: number): Promise<boolean>
}
