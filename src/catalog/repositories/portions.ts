const portionMax = 128

/** Parts of a list, each for one statement. Their sizes are powers of two alone, so that few statements are ever needed. */
export function* portions<Entry>(entries: readonly Entry[]): Generator<readonly Entry[]> {
  for (let start = 0; start < entries.length; ) {
    const size = Math.min(portionMax, 2 ** Math.floor(Math.log2(entries.length - start)))
    yield entries.slice(start, start + size)
    start += size
  }
}
