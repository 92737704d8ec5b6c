// What a mirror in another thread is told of a store, in the order in which it happens there.
import type { Range } from '../../../model/plan.ts'
import type { RowBatch } from '../../../model/row-batch.ts'
import type { SealedFileInfo } from '../reading/sealed-source.ts'
import type { SeriesPart } from '../registry/registry-format.ts'
import type { EntityChange } from './sealed-mirror.ts'

export interface EntityNews extends Omit<EntityChange, 'replaces'> {
  /** Series that are not on disk. */
  readonly series: SeriesPart
  /** 'new': rows in memory that were told before are there no more. */
  readonly memory: 'new' | 'same'
  /** The dates of 'new' memory, of which nothing is told yet; null where it holds no row. */
  readonly untold: Range | null
  /** What the store has counted of the entity's changes (`ChangeCounts.countsOf`), this one included; of 'new' memory it counts from there. */
  readonly counts: Int32Array
}

export type MirrorNews =
  | { readonly kind: 'entity'; readonly entity: EntityNews }
  /** Rows that came. */
  | { readonly kind: 'rows'; readonly batch: RowBatch }
  /** Some of those that were in memory: they were counted before. */
  | { readonly kind: 'part'; readonly batch: RowBatch }
  /** All rows are told that were in memory when so much was counted. */
  | { readonly kind: 'whole'; readonly entityId: number; readonly counts: Int32Array }
  /** Nothing more is told of it; these are all files of it that were told, and of which it was not told that they are removed. */
  | { readonly kind: 'dropped'; readonly entityId: number; readonly files: readonly SealedFileInfo[] }
