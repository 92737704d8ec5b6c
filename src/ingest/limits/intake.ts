import type { Ingest } from '../../model/ingest.ts'
import type { Backlog } from './backlog.ts'
import type { DiskFloor } from './disk-floor.ts'
import type { KeyRates } from './key-rates.ts'
import type { RejectedSpace } from './rejected-space.ts'

export interface IntakeParts {
  readonly backlog: Backlog
  /** Null where pushes are not kept on a disk of this machine. */
  readonly disk: DiskFloor | null
  readonly rejected: RejectedSpace
  readonly rates: KeyRates
}

/** Who pushes, and where to. */
export interface PushSource {
  readonly keyId: string
  readonly ingest: Ingest
}

/** Decides whether there is room for a push, from memory. */
export class Intake {
  readonly #parts: IntakeParts

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /** Throws Problem `too_many_requests` or `overloaded` when nothing may be stored now. */
  requireSpace({ keyId, ingest }: PushSource): void {
    const { rates, backlog, disk, rejected } = this.#parts
    rates.requireSpace(keyId)
    backlog.requireSpace()
    disk?.requireSpace()
    rejected.requireSpace(ingest)
  }

  /** Throws Problem `too_many_requests`. Rows that are only checked count for their key as if they were pushed, and need no room. */
  requireCheck({ keyId }: PushSource, rows: number, bytes: number): void {
    this.#parts.rates.requireSpace(keyId)
    this.#parts.rates.add(keyId, rows, bytes)
  }

  /** A push is on its way to disk: it counts for its key, so that others at once do not slip through. */
  sent({ keyId, ingest }: PushSource, rows: number, bytes: number): void {
    this.#parts.rates.add(keyId, rows, bytes)
    this.#parts.disk?.add(bytes)
    this.#parts.rejected.sent(ingest.id, rows, bytes)
  }

  stored({ ingest }: PushSource, rows: number, bytes: number, endPosition: number): void {
    this.#parts.backlog.add(endPosition, bytes)
    this.#parts.rejected.arrived(ingest.id, rows, bytes, endPosition)
  }

  /** What was sent did not come to be stored. */
  failed({ ingest }: PushSource, rows: number, bytes: number): void {
    this.#parts.rejected.arrived(ingest.id, rows, bytes, null)
  }
}
