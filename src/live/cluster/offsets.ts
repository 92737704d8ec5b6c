// A position of an entity on a cluster: how far each partition of its topic is told, as offsets with dots between. A partition that is not named is at 0.

export function positionOf(offsets: readonly number[]): string {
  return offsets.join('.')
}

/** So many of them as there are partitions. */
export function offsetsAt(position: string, partitions: number): number[] {
  const offsets = position.split('.').map(Number)
  return Array.from({ length: partitions }, (_, partition) => offsets[partition] ?? 0)
}
