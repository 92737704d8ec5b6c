import type { PushFormat } from '../client/transport.ts'
import { joinedBytes } from '../lib/joined-bytes.ts'
import type { PushedRows } from './rows.ts'

/** The rows of one request. */
export interface PushBatch {
  /** Place of its first row in the whole input, from 1. */
  readonly firstRow: number
  readonly rows: number
  readonly body: Uint8Array
  /** The rows that the body is made of. */
  readonly texts: readonly Uint8Array[]
}

export interface BatchBounds {
  readonly rowsMax: number
  /** A single larger row still goes, alone. */
  readonly bytesMax: number
  readonly format: PushFormat
  /** PushedRows at the beginning that are left out. */
  readonly skipRows: number
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const frames: Record<PushFormat, { open: Uint8Array; between: Uint8Array; close: Uint8Array }> = {
  json: { open: bytesOf('['), between: bytesOf(','), close: bytesOf(']') },
  ndjson: { open: bytesOf(''), between: bytesOf('\n'), close: bytesOf('\n') },
}

function bodyOf(rows: readonly Uint8Array[], format: PushFormat): Uint8Array {
  const { open, between, close } = frames[format]
  const parts: Uint8Array[] = [open]
  for (const [index, row] of rows.entries()) parts.push(index === 0 ? open.subarray(0, 0) : between, row)
  parts.push(close)
  return joinedBytes(parts)
}

function batchOf(texts: readonly Uint8Array[], firstRow: number, format: PushFormat): PushBatch {
  return { firstRow, rows: texts.length, body: bodyOf(texts, format), texts }
}

/** The same rows in two requests, for a service that takes fewer at once; one row cannot be parted. */
export function halvesOf({ texts, firstRow }: PushBatch, format: PushFormat): readonly PushBatch[] {
  const half = Math.ceil(texts.length / 2)
  return [batchOf(texts.slice(0, half), firstRow, format), batchOf(texts.slice(half), firstRow + half, format)]
}

/** Gathers rows into bodies that are bounded in rows and bytes. */
export async function* batchesOf(rows: PushedRows, bounds: BatchBounds): AsyncGenerator<PushBatch> {
  let gathered: Uint8Array[] = []
  let bytes = 0
  let seen = 0
  const take = (): PushBatch => {
    const batch = batchOf(gathered, seen - gathered.length + 1, bounds.format)
    gathered = []
    bytes = 0
    return batch
  }
  for await (const group of rows) {
    for (const row of group) {
      if (gathered.length > 0 && (gathered.length === bounds.rowsMax || bytes + row.length + 3 > bounds.bytesMax))
        yield take()
      seen++
      if (seen <= bounds.skipRows) continue
      gathered.push(row)
      bytes += row.length + 1
    }
  }
  if (gathered.length > 0) yield take()
}
