/** A Parquet file of rows of one entity, for an engine that reads files. Its time is the column `__time`, its positions are `@position`. */
export interface RowsFile {
  readonly path: string
  /** Its columns; fields that are not among them are null in all its rows. */
  readonly fields: readonly string[]
  /** The oldest and newest date of its rows. */
  readonly firstMs: number
  readonly lastMs: number
  /** Whether no two of its rows are of one date and the same tags, where newer rows replace older ones. */
  readonly isDistinct: boolean
}

/** The files that together hold an entity's rows at one moment. */
export interface EntityFiles {
  readonly entityId: number
  readonly files: readonly RowsFile[]
}
