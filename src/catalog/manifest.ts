// The manifest says which files hold the sealed rows, and from where on the journal is still needed. The state of
// the store is always the manifest and what a replay of the journal from the sealed position brings.
import type { DiskSize } from '../model/disk-size.ts'

/** What names a file for ever. */
export interface StoreFileKey {
  readonly entityId: number
  /** In the entity's folder, without an ending. */
  readonly name: string
}

/** A sealed file and the index beside it: of rows, or of the hours of rows that left. Neither is ever changed: a merge makes new files and removes these. */
export interface StoreFile extends StoreFileKey {
  readonly kind: 'day' | 'mixed' | 'hours'
  /** The UTC day of its rows, as days since 1970; null of a mixed file. */
  readonly day: number | null
  readonly rows: number
  readonly firstMs: number
  readonly lastMs: number
  readonly firstPosition: number
  readonly lastPosition: number
  readonly bytes: number
  readonly indexBytes: number
}

/** Of one sealed file, the rows that a deletion selects; `docs/formats/deletion-vectors.md` has the bytes. */
export interface StoredVector extends StoreFileKey {
  readonly deletionId: number
  readonly bytes: Uint8Array
}

/** How much of an entity's registry of series is valid: what is behind was written for files that were never recorded. */
export interface StoreRegistry {
  readonly entityId: number
  readonly series: number
  readonly bytes: number
}

/** What became of an ingest's rows before the sealed position. */
export interface IngestCount {
  readonly ingestId: number
  readonly validated: number
  readonly rejected: number
}

export interface Manifest {
  /** Rows before this position are in the files or were rejected: the journal is read from here. */
  readonly sealedPosition: number
  /** By entity and name. */
  readonly files: readonly StoreFile[]
  /** By entity. */
  readonly registries: readonly StoreRegistry[]
  /** By ingest. */
  readonly counts: readonly IngestCount[]
}

/** Where the journal is needed from after a seal, and the counts of the ingests that rows were validated of, as they stand there. */
export interface Seal {
  readonly position: number
  readonly counts: readonly IngestCount[]
  /** All before it was on disk in the journal. */
  readonly journalEnd: number
}

export interface ManifestChange {
  readonly add: readonly StoreFile[]
  readonly remove: readonly StoreFileKey[]
  /** Those that grew. */
  readonly registries: readonly StoreRegistry[]
  /** What deletions select of the files that are added; absent: nothing. */
  readonly vectors?: readonly StoredVector[]
  /** Null for a merge, which moves no rows out of the journal. */
  readonly seal: Seal | null
}

export interface DiskSizes {
  /** Of these entities, with indexes and registries; one without files has no entry. */
  sizes(entityIds: readonly number[]): Promise<ReadonlyMap<number, DiskSize>>
}

export interface ManifestCatalog {
  /** One state of it. Throws an Error when what is kept is damaged. */
  load(): Promise<Manifest>
  /**
   * All of the change or nothing, on disk before this resolves. Throws an Error for a file that is there already or is not there to be
   * removed, and for a position or registry that would go back.
   */
  commit(change: ManifestChange): Promise<void>
  /**
   * Makes sure that a commit which failed does not come back: after a failed sync it may stand whole in the database's log, and be found there
   * by the next process, until another one is on disk. To be called before anything is deleted that such a commit may name.
   */
  settle(): Promise<void>
  /**
   * All before this position was acknowledged, and is in the journal or was trimmed from it. Null when nothing was noted yet. Throws an
   * Error when the note is damaged.
   */
  journalEnd(): Promise<number | null>
  /** Notes that all before a position is on disk in the journal; it never goes back. */
  noteJournalEnd(position: number): Promise<void>
  /** Takes out all files of an entity and its registry, on disk before this resolves. */
  drop(entityId: number): Promise<void>
}
