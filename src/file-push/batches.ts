import { batchOf, type PushBatch } from '../client/push-batch.ts'
import type { PushFormat } from '../client/transport.ts'
import type { PushedRows } from './rows.ts'

export interface BatchBounds {
  readonly rowsMax: number
  /** How many rows a text is; one where it is left out. */
  readonly rowsOf?: ((text: Uint8Array) => number) | undefined
  /** A single larger row still goes, alone. */
  readonly bytesMax: number
  readonly format: PushFormat
  /** PushedRows at the beginning that are left out. */
  readonly skipRows: number
}

/** Gathers rows into bodies that are bounded in rows and bytes. */
export async function* batchesOf(rows: PushedRows, bounds: BatchBounds): AsyncGenerator<PushBatch> {
  let gathered: Uint8Array[] = []
  let bytes = 0
  let rowsGathered = 0
  let seen = 0
  const take = (): PushBatch => {
    const batch = batchOf(gathered, seen - gathered.length + 1, bounds.format)
    gathered = []
    bytes = 0
    rowsGathered = 0
    return batch
  }
  for await (const group of rows) {
    for (const row of group) {
      // What is no row takes a place too.
      const count = Math.max(1, bounds.rowsOf?.(row) ?? 1)
      const isFull = rowsGathered + count > bounds.rowsMax || bytes + row.length + 3 > bounds.bytesMax
      if (gathered.length > 0 && isFull) yield take()
      seen++
      if (seen <= bounds.skipRows) continue
      gathered.push(row)
      rowsGathered += count
      bytes += row.length + 1
    }
  }
  if (gathered.length > 0) yield take()
}
