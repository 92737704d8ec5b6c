const portionMax = 128

/** Splits a list into portions for one statement each. Sizes are powers of two, so that few distinct statements are needed. */
export function* portions<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; ) {
    const size = Math.min(portionMax, 2 ** Math.floor(Math.log2(entries.length - start)))
    yield entries.slice(start, start + size)
    start += size
  }
}
