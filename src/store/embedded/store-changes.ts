// How rows come into sealed files, and files in the place of others.
import type { Table } from './head/table.ts'
import type { SealedFile } from './reading/sealed-source.ts'

/** All rows in memory that were stored before a position, to be sealed; they stay readable until the switch. */
export interface FrozenRows {
  readonly position: number
  readonly rows: number
  /** One an entity; none is empty. */
  readonly tables: readonly Table[]
}

/** From one state of the sealed files to the next. */
export interface FileSwitch {
  readonly add: readonly SealedFile[]
  readonly remove: readonly SealedFile[]
  /** What was sealed into the files that are added; null for a merge. */
  readonly frozen: FrozenRows | null
  /** Called once for each removed file when no run reads it any more: now, or when the last such run ends. */
  readonly gone: (file: SealedFile) => void
}
