/** A Parquet file of rows of one entity, for an engine that reads files. Its time is the column `__time`, its positions are `@position`. */
export interface RowsFile {
  readonly path: string
  /** A file with the checksums of its pages, by which it is yet to be checked before it is read; null where that is done, or there is none. */
  readonly checkedBy: string | null
  /** The names of its columns (`fieldOf`); fields that are not among them are null in all its rows. */
  readonly fields: readonly string[]
  /** The oldest and newest date of its rows. */
  readonly firstMs: number
  readonly lastMs: number
  /** Whether no two of its rows have one date and the same tags, where newer rows replace older ones. */
  readonly isDistinct: boolean
  /** Absent where all of its rows are seen. */
  readonly deleted?: DeletedRows
}

/** Rows of a file that were deleted, as pairs: the number of the first, and of the one after the last. */
export interface DeletedRows {
  readonly rows: readonly number[]
  /** By its name, in which rows a field reads as null. */
  readonly metrics: ReadonlyMap<string, readonly number[]>
}

/** The field whose values a column of a file holds. Doubles that are decimals have a column whose name says their digits. */
export function fieldOf(column: string): string {
  return column.replace(/@decimal\d$/, '')
}

/** The files that together hold an entity's rows at one moment. */
export interface EntityFiles {
  readonly entityId: number
  readonly files: readonly RowsFile[]
}
