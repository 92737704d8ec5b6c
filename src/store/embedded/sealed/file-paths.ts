/** The paths of a sealed file and its index. */
export interface FilePaths {
  readonly parquet: string
  readonly index: string
}

/** The name of an incomplete file. */
export function temporary(path: string): string {
  return `${path}.tmp`
}
