/** A Parquet file with rows of one entity, for engines that read files. Its time column is `__time`, its position column `@position`. */
export interface RowsFile {
  readonly path: string
  /** The page checksum file to verify this file with before reading it; null if it is already verified or has no checksums. */
  readonly checkedBy: string | null
  /** Field names of its columns (`fieldOf`); fields not listed are null in all its rows. */
  readonly fields: readonly string[]
  /** Oldest and newest date of its rows, inclusive. */
  readonly firstMs: number
  readonly lastMs: number
  /** Where newer rows replace older ones: whether no two rows in it have the same time and tags. */
  readonly isDistinct: boolean
  /** Absent if all of its rows are visible. */
  readonly deleted?: DeletedRows
}

/** Deleted rows of a file, as pairs of row numbers: first row, and one past the last row. */
export interface DeletedRows {
  readonly rows: readonly number[]
  /** For each field, by name: the rows in which it reads as null. */
  readonly metrics: ReadonlyMap<string, readonly number[]>
}

/** The field stored in a file's column. Doubles stored as decimals have a column name with a suffix for their digits. */
export function fieldOf(column: string): string {
  return column.replace(/@decimal\d$/, '')
}

/** The files that together contain an entity's rows at one moment. */
export interface EntityFiles {
  readonly entityId: number
  readonly files: readonly RowsFile[]
}
