/** The number of sizes, in order, that fit in the bytes together: at least one, if there is one. */
export function howManyFit(sizes: readonly number[], bytesMax: number): number {
  let bytes = 0
  let count = 0
  for (const size of sizes) {
    bytes += size
    if (bytes > bytesMax && count > 0) break
    count += 1
  }
  return count
}
