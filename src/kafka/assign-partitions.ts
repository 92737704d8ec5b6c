export interface GroupShare {
  readonly memberId: string
  /** The partitions that the member has now. */
  readonly owned: readonly number[]
}

/** Assigns each partition to one member, as evenly as possible. Each member keeps as many of its own as its share allows. */
export function assignPartitions(
  members: readonly GroupShare[],
  partitions: number,
): ReadonlyMap<string, readonly number[]> {
  const sorted = members.toSorted((left, right) => (left.memberId < right.memberId ? -1 : 1))
  const shares = new Map(sorted.map(({ memberId }): [string, number[]] => [memberId, []]))
  if (shares.size === 0) return shares
  const least = Math.floor(partitions / shares.size)
  let larger = partitions % shares.size
  const left = new Set(Array.from({ length: partitions }, (_, partition) => partition))
  // Members with more than the smaller share keep one more, while larger shares remain.
  const most = sorted.toSorted((one, other) => other.owned.length - one.owned.length)
  for (const { memberId, owned } of most) {
    const kept = owned.filter((partition) => left.has(partition))
    const isLarger = larger > 0 && kept.length > least
    if (isLarger) larger--
    for (const partition of kept.slice(0, least + (isLarger ? 1 : 0))) {
      shares.get(memberId)!.push(partition)
      left.delete(partition)
    }
  }
  for (const partition of left) {
    const smallest = [...shares.values()].reduce((one, other) => (other.length < one.length ? other : one))
    smallest.push(partition)
  }
  return shares
}
