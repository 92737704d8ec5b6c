// How rows move into sealed files, and how files replace others.
import type { Table } from './head/table.ts'
import type { SealedFile } from './reading/sealed-source.ts'

/** All rows in memory that were stored before a position, to be sealed. They stay readable until the switch. */
export interface FrozenRows {
  readonly position: number
  readonly rows: number
  /** One for each entity; none is empty. */
  readonly tables: readonly Table[]
}

/** A change from one set of sealed files to the next. */
export interface FileSwitch {
  readonly add: readonly SealedFile[]
  readonly remove: readonly SealedFile[]
  /** The rows that the added files contain; null for a merge. */
  readonly frozen: FrozenRows | null
  /** Called once for each removed file when no run reads it any more: now, or when the last such run ends. */
  readonly gone: (file: SealedFile) => void
}
