// The manifest lists the files of sealed rows, and the position from which the journal is still needed. The state of the store is always the manifest plus a
// replay of the journal from the sealed position.
import type { DiskSize } from '../model/disk-size.ts'

/** Identifies a file permanently. */
export interface StoreFileKey {
  readonly entityId: number
  /** The file name in the entity's folder, without an extension. */
  readonly name: string
}

/** A sealed file of rows, or of hours of expired rows, with its index. Neither is ever modified: a merge writes new files and removes these. */
export interface StoreFile extends StoreFileKey {
  readonly kind: 'day' | 'mixed' | 'hours'
  /** The UTC day of its rows, in days since 1970; null for a mixed file. */
  readonly day: number | null
  readonly rows: number
  readonly firstMs: number
  readonly lastMs: number
  readonly firstPosition: number
  readonly lastPosition: number
  readonly bytes: number
  readonly indexBytes: number
}

/** The rows of one sealed file that a deletion selects. The format is described in `docs/formats/deletion-vectors.md`. */
export interface StoredVector extends StoreFileKey {
  readonly deletionId: number
  readonly bytes: Uint8Array
}

/** The valid length of an entity's registry of series. Anything beyond was written for files that were never recorded. */
export interface StoreRegistry {
  readonly entityId: number
  readonly series: number
  readonly bytes: number
}

/** Outcomes of an ingest's rows before the sealed position. */
export interface IngestCount {
  readonly ingestId: number
  readonly validated: number
  readonly rejected: number
}

export interface Manifest {
  /** Rows before this position are in files or were rejected. The journal is read from here. */
  readonly sealedPosition: number
  /** Ordered by entity and name. */
  readonly files: readonly StoreFile[]
  /** Ordered by entity. */
  readonly registries: readonly StoreRegistry[]
  /** Ordered by ingest. */
  readonly counts: readonly IngestCount[]
}

/** The position from which the journal is needed after a seal, and the counts at that position of ingests whose rows were validated. */
export interface Seal {
  readonly position: number
  readonly counts: readonly IngestCount[]
  /** Everything before this position was on disk in the journal. */
  readonly journalEnd: number
}

export interface ManifestChange {
  readonly add: readonly StoreFile[]
  readonly remove: readonly StoreFileKey[]
  /** Registries that have grown. */
  readonly registries: readonly StoreRegistry[]
  /** The rows that deletions select in the added files; none if absent. */
  readonly vectors?: readonly StoredVector[]
  /** Null for a merge, which moves no rows out of the journal. */
  readonly seal: Seal | null
}

export interface DiskSizes {
  /** Sizes of these entities, including indexes and registries. An entity without files has no entry. */
  sizes(entityIds: readonly number[]): Promise<ReadonlyMap<number, DiskSize>>
}

export interface ManifestCatalog {
  /** Reads one consistent state. Throws an Error when stored data is damaged. */
  load(): Promise<Manifest>
  /**
   * Applies the whole change or nothing, and resolves after it is on disk. Throws an Error when an added file already exists, a removed file does not, or a
   * position or registry would go back.
   */
  commit(change: ManifestChange): Promise<void>
  /**
   * Makes sure that a failed commit does not reappear. After a failed sync, the commit may be complete in the database's log, and the next process would
   * find it there until another commit is on disk. Must be called before deleting anything that such a commit may name.
   */
  settle(): Promise<void>
  /**
   * Everything before this position was acknowledged, and is in the journal or was trimmed from it. Null when nothing was recorded yet. Throws an Error when
   * the record is damaged.
   */
  journalEnd(): Promise<number | null>
  /** Records that everything before a position is on disk in the journal. The recorded position never goes back. */
  noteJournalEnd(position: number): Promise<void>
  /** Removes all files of an entity and its registry from the manifest; on disk before this resolves. */
  drop(entityId: number): Promise<void>
}
