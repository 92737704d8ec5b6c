/** Where a sealed file and its index lie. */
export interface FilePaths {
  readonly parquet: string
  readonly index: string
}

/** The name of a file that is not complete. */
export function temporary(path: string): string {
  return `${path}.tmp`
}
