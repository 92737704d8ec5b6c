/** How far a reader of a cluster was told an entity's rows, and what was deleted of them. */
export interface ClusterPlace {
  /** By partition of the entity's topic: all rows before it are told. */
  readonly offsets: readonly number[]
  /** As of `LivePlace`. */
  readonly change: number
}

/** The offsets with dots between, and the change. */
export function positionOf({ offsets, change }: ClusterPlace): string {
  return `${offsets.join('.')}-${change}`
}

/** With so many offsets as there are partitions: one that is not named is at 0. */
export function placeAt(position: string, partitions: number): ClusterPlace {
  const [named, change] = position.split('-')
  const offsets = named!.split('.').map(Number)
  return {
    offsets: Array.from({ length: partitions }, (_, partition) => offsets[partition] ?? 0),
    change: Number(change),
  }
}
