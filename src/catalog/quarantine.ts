// Entries of the journal that ended the validator again and again, and are not validated any more.
import type { LineFormat } from '../model/line-format.ts'

/** How the rows that are quarantined are kept: 1 with their texts, 2 without, where even to part the body ended the validator. */
export type QuarantineLevel = 1 | 2

/** What was decided of an entry. It holds for as long as the journal may be validated again. */
export interface QuarantineDecision {
  /** That of the entry. */
  readonly position: number
  /** Rows of it from this position on are rejected as `not_validated`; those before it are validated. */
  readonly fromPosition: number
  readonly level: QuarantineLevel
}

/** With what the journal says of it. */
export interface QuarantinedEntry extends QuarantineDecision {
  readonly ingestId: number
  readonly fieldsVersion: number
  readonly subscriberId: number
  readonly receivedMs: number
  readonly format: 'json' | 'ndjson' | 'replay' | LineFormat
  readonly rows: number
  readonly bodyBytes: number
  readonly quarantinedMs: number
  /** Whether the operator has seen to it, and the body is not kept any more. */
  readonly isReleased: boolean
}

export interface QuarantineCatalog {
  /** All of them, by position. */
  list(): Promise<readonly QuarantinedEntry[]>
  /**
   * Keeps the entry and its body, and the decision: when this resolves it is durable. Of an entry that was quarantined before only the level changes.
   */
  add(entry: Omit<QuarantinedEntry, 'bodyBytes' | 'isReleased'>, body: Uint8Array): Promise<void>
  /** A part of the body, in the order of `part` from 0; null behind the last. */
  bodyPart(position: number, part: number): Promise<Uint8Array | null>
  /** The body goes; the decision stays. False when there is no such entry, or it was let go. */
  release(position: number): Promise<boolean>
}
