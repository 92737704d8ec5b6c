/** The place that a reader of a cluster has reached in an entity's rows and deletions. */
export interface ClusterPlace {
  /** By partition of the entity's topic: all rows before this offset have been sent. */
  readonly offsets: readonly number[]
  /** See `LivePlace`. */
  readonly change: number
}

/** The offsets separated by dots, then a hyphen and the change. */
export function positionOf({ offsets, change }: ClusterPlace): string {
  return `${offsets.join('.')}-${change}`
}

/** Returns one offset per partition; a partition that the position does not name is at 0. */
export function placeAt(position: string, partitions: number): ClusterPlace {
  const [named, change] = position.split('-')
  const offsets = named!.split('.').map(Number)
  return {
    offsets: Array.from({ length: partitions }, (_, partition) => offsets[partition] ?? 0),
    change: Number(change),
  }
}
