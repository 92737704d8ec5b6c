import type { LocalJournalWriter } from '../journal/journal.ts'
import type { Disk } from '../lib/disk.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import type { Reach } from '../observe/crash-point.ts'
import type { Observe } from '../observe/event.ts'
import type { DataToReplicate, MomentMaker } from './moment-maker.ts'
import type { ReplicaLog } from './replica-log.ts'

export interface CopierSettings {
  readonly intervalMs: number
  readonly catalogMs: number
  readonly wait: boolean
  readonly keepMs: number
  readonly bytesPerSecond: number
  readonly heldBytes: number
  readonly requestMs: number
}

export interface CopierParts {
  readonly settings: CopierSettings
  readonly store: ObjectStore
  readonly disk: Disk
  /** The path of `replica.json`. */
  readonly markPath: string
  /** The address of the replica. */
  readonly url: string
  readonly journal: LocalJournalWriter
  readonly journalDirectory: string
  readonly data: DataToReplicate
  /** The amount of the operator's changes to the catalog so far, and whether a change is in progress. */
  readonly changes: () => number
  readonly isChanging: () => boolean
  /** A value that differs when the stored data differs. */
  readonly stored: () => unknown
  /** Called when more of the journal may be deleted. */
  readonly mayTrim: () => void
  readonly nowMs: () => number
  readonly observe: Observe
  readonly reach: Reach
}

/** A replica that this process owns. */
export interface OpenedReplica {
  readonly log: ReplicaLog
  readonly moments: MomentMaker
}

export interface ReplicaState {
  /** All rows before it are in the replica. */
  readonly position: number
  /** The replica has all data up to this time; null before it has any. */
  readonly timeMs: number | null
  readonly lagMs: number
  readonly lagBytes: number
  readonly error: string | null
}
