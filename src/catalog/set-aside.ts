// Entries of the journal that ended the judge again and again, and are not judged any more.
import type { LineFormat } from '../model/line-format.ts'

/** How the rows that are set aside are kept: 1 with their texts, 2 without, where even to part the body ended the judge. */
export type AsideLevel = 1 | 2

/** What was decided of an entry. It holds for as long as the journal may be judged again. */
export interface AsideDecision {
  /** That of the entry. */
  readonly position: number
  /** Rows of it from this position on are rejected as `not_judged`; those before it are judged. */
  readonly fromPosition: number
  readonly level: AsideLevel
}

/** With what the journal says of it. */
export interface AsideEntry extends AsideDecision {
  readonly ingestId: number
  readonly fieldsVersion: number
  readonly subscriberId: number
  readonly receivedMs: number
  readonly format: 'json' | 'ndjson' | 'replay' | LineFormat
  readonly rows: number
  readonly bodyBytes: number
  readonly setAsideMs: number
  /** Whether the operator has seen to it, and the body is not kept any more. */
  readonly isLetGo: boolean
}

export interface SetAsideCatalog {
  /** All of them, by position. */
  list(): Promise<readonly AsideEntry[]>
  /**
   * Keeps the entry and its body, and the decision: when this resolves it is durable. Of an entry that was set aside before only the level changes.
   */
  add(entry: Omit<AsideEntry, 'bodyBytes' | 'isLetGo'>, body: Uint8Array): Promise<void>
  /** A part of the body, in the order of `part` from 0; null behind the last. */
  bodyPart(position: number, part: number): Promise<Uint8Array | null>
  /** The body goes; the decision stays. False when there is no such entry, or it was let go. */
  letGo(position: number): Promise<boolean>
}
