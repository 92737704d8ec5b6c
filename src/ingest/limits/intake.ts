import type { Ingest } from '../../model/ingest.ts'
import type { Backlog } from './backlog.ts'
import type { DiskFloor } from './disk-floor.ts'
import type { KeyRates } from './key-rates.ts'
import type { RejectedSpace } from './rejected-space.ts'

export interface IntakeParts {
  readonly backlog: Backlog
  /** Null if pushes are not stored on a disk of this machine. */
  readonly disk: DiskFloor | null
  readonly rejected: RejectedSpace
  readonly rates: KeyRates
}

/** The source and target of a push. */
export interface PushSource {
  readonly keyId: string
  readonly ingest: Ingest
}

/** Decides from memory whether there is capacity for a push. */
export class Intake {
  readonly #parts: IntakeParts

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /** Throws Problem `too_many_requests` or `overloaded` if nothing may be stored now. */
  requireSpace({ keyId, ingest }: PushSource): void {
    const { rates, backlog, disk, rejected } = this.#parts
    rates.requireSpace(keyId)
    backlog.requireSpace()
    disk?.requireSpace()
    rejected.requireSpace(ingest)
  }

  /** Throws Problem `too_many_requests`. Rows that are only checked count for their key as if they were pushed, but need no space. */
  requireCheck({ keyId }: PushSource, rows: number, bytes: number): void {
    this.#parts.rates.requireSpace(keyId)
    this.#parts.rates.add(keyId, rows, bytes)
  }

  /** Counts a push that is being written, so that concurrent pushes cannot bypass the limits. */
  sent({ keyId, ingest }: PushSource, rows: number, bytes: number): void {
    this.#parts.rates.add(keyId, rows, bytes)
    this.#parts.disk?.add(bytes)
    this.#parts.rejected.sent(ingest.id, rows, bytes)
  }

  stored({ ingest }: PushSource, rows: number, bytes: number, endPosition: number): void {
    this.#parts.backlog.add(endPosition, bytes)
    this.#parts.rejected.arrived(ingest.id, rows, bytes, endPosition)
  }

  /** A push that was sent was not stored. */
  failed({ ingest }: PushSource, rows: number, bytes: number): void {
    this.#parts.rejected.arrived(ingest.id, rows, bytes, null)
  }
}
