// Reads an entity's rows in windows of time: as wide as one response of the source allows, narrower where rows are dense, wider where they are sparse.
import { msPerDay } from '../../model/instant.ts'
import { CommandError } from '../command-error.ts'

/** From and to, both inclusive, in milliseconds since the epoch. */
export interface CopyRange {
  readonly startMs: number
  readonly endMs: number
}

export interface WindowedSource {
  /** The lines of the rows in this range, in order; null if they are too many for one response. */
  select(range: CopyRange): Promise<readonly Uint8Array[] | null>
  /** The time of the first row after this date; null if there is none. */
  nextMs(afterMs: number): Promise<number | null>
}

const widestMs = 32 * msPerDay
/** After a response below smallBytes the next window is twice as wide, after one above largeBytes half as wide. */
const smallBytes = 8 * 1024 * 1024
const largeBytes = 32 * 1024 * 1024
/** The number of windows before a width that was refused is tried again. */
const calmWindows = 8

/** The rows of a range, one window at a time. Throws `CommandError` if a single millisecond has more rows than a response may contain. */
export async function* windowsOf(range: CopyRange, source: WindowedSource): AsyncGenerator<readonly Uint8Array[]> {
  let widthMs = msPerDay
  let calm = calmWindows
  for (let startMs = range.startMs; startMs <= range.endMs; ) {
    const endMs = Math.min(startMs + widthMs - 1, range.endMs)
    const lines = await source.select({ startMs, endMs })
    if (lines === null) {
      widthMs = halved(endMs - startMs + 1, startMs)
      calm = 0
      continue
    }
    yield lines
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    calm++
    if (bytes > largeBytes) widthMs = Math.max(1, Math.floor(widthMs / 2))
    else if (bytes < smallBytes && calm > calmWindows) widthMs = Math.min(widthMs * 2, widestMs)
    startMs = endMs + 1
    if (lines.length > 0 || startMs > range.endMs) continue
    const nextMs = await source.nextMs(endMs)
    if (nextMs === null) return
    startMs = Math.max(startMs, nextMs)
  }
}

function halved(widthMs: number, startMs: number): number {
  if (widthMs > 1) return Math.floor(widthMs / 2)
  const date = new Date(startMs).toISOString()
  throw new CommandError(
    `The rows of the single millisecond ${date} exceed the limit of an answer of the source. ` +
      'Raise its limits.resultRows, limits.resultBytes or limits.queryTimeMs, and copy again.',
  )
}
