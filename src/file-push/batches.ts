import { batchOf, type PushBatch } from '../client/push-batch.ts'
import type { PushFormat } from '../client/transport.ts'
import type { PushedRows } from './rows.ts'

export interface BatchBounds {
  readonly rowsMax: number
  /** The number of rows of a text; default one. */
  readonly rowsOf?: ((text: Uint8Array) => number) | undefined
  /** A single larger row is still sent, alone. */
  readonly bytesMax: number
  readonly format: PushFormat
  /** The number of texts at the beginning to skip. */
  readonly skipRows: number
}

/** Gathers rows into bodies of bounded rows and bytes. */
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
      // A text without rows, such as a blank line, counts too.
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
