// Encoding a row group takes tenths of a second. It is written as generators that yield every few milliseconds, so that the caller can let
// other work run in between.

/** Rows of one column between two yields. */
export const sliceRows = 1 << 14

/** Runs to the end without pauses, for short work. */
export function endOf<T>(slices: Generator<void, T>): T {
  for (;;) {
    const slice = slices.next()
    if (slice.done === true) return slice.value
  }
}

/** Runs to the end, awaiting `pause` at each yield. */
export async function runSlices<T>(slices: Generator<void, T>, pause: (() => Promise<void>) | undefined): Promise<T> {
  for (;;) {
    const slice = slices.next()
    if (slice.done === true) return slice.value
    if (pause !== undefined) await pause()
  }
}
