/** The part of an entity's rows that is stored in files. */
export interface DiskSize {
  /** On a cluster: Druid segments. */
  readonly files: number
  /** Includes expired rows that are not removed yet. Null on a cluster, where the number is unknown. */
  readonly rows: number | null
  readonly bytes: number
  readonly firstMs: number | null
  readonly lastMs: number | null
}
