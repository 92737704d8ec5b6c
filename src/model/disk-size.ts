/** What of an entity's rows lies in files. */
export interface DiskSize {
  /** On a cluster, segments of Druid. */
  readonly files: number
  /** Those that have left and are not removed yet count, too. Null on a cluster, where they are not known. */
  readonly rows: number | null
  readonly bytes: number
  readonly firstMs: number | null
  readonly lastMs: number | null
}
