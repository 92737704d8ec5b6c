import type { LaneCatalog } from '../catalog/lanes.ts'
import type { JournalCursor } from '../journal/journal.ts'
import { positionAt } from '../journal/lane-position.ts'

export interface WaitingParts {
  /** How many lanes the journal has. */
  readonly lanes: number
  readonly catalog: Pick<LaneCatalog, 'lanes'>
  /** One that does not wait for what is to come. */
  readonly openCursor: () => JournalCursor
  readonly nowMs: () => number
}

/**
 * When the oldest push that no pipeline has judged was received; now, if none waits. Pushes behind it in its lane may be a moment older.
 */
export async function oldestWaitingMs({ lanes, catalog, openCursor, nowMs }: WaitingParts): Promise<number> {
  let oldestMs = nowMs()
  const processed = new Map((await catalog.lanes()).map(({ lane, processedPosition }) => [lane, processedPosition]))
  const cursor = openCursor()
  try {
    for (let lane = 0; lane < lanes; lane++) {
      const position = processed.get(lane) ?? positionAt(lane, 0)
      const [first] = await cursor.read(position, Number.POSITIVE_INFINITY, 1)
      if (first !== undefined) oldestMs = Math.min(oldestMs, first.receivedMs)
    }
  } finally {
    await cursor.close()
  }
  return oldestMs
}
