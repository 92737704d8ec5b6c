// What a mirror in another thread is told of a store, in the order in which it happens there.
import type { RowBatch } from '../../../model/row-batch.ts'
import type { SealedFileInfo } from '../reading/sealed-source.ts'
import type { SeriesPart } from '../registry/registry-format.ts'
import type { EntityChange } from './sealed-mirror.ts'

/** Dates of rows in memory that a mirror is not told of. */
export interface UntoldDates {
  readonly fromMs: number
  readonly toMs: number
}

export interface MemoryNews {
  /** All that is in memory, each batch behind the one before; none where `untold` says which dates are there. */
  readonly batches: readonly RowBatch[]
  readonly untold: UntoldDates | null
}

export interface EntityNews extends Omit<EntityChange, 'replaces'> {
  /** Series that are not on disk. */
  readonly series: SeriesPart
  /** Takes the place of all rows in memory that were told before; null leaves them as they are. */
  readonly memory: MemoryNews | null
  /** What the store has counted of the entity's changes (`ChangeCounts.countsOf`), this one included. */
  readonly counts: Int32Array
}

export type MirrorNews =
  | { readonly kind: 'entity'; readonly entity: EntityNews }
  | { readonly kind: 'rows'; readonly batch: RowBatch }
  /** Nothing more is told of it; these are all files of it that were told, and of which it was not told that they are removed. */
  | { readonly kind: 'dropped'; readonly entityId: number; readonly files: readonly SealedFileInfo[] }
