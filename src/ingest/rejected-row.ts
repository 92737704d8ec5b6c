import type { RejectedRow } from '../catalog/rejected.ts'
import type { PlacedEntry } from '../journal/journal.ts'
import { isLineFormat } from '../model/line-format.ts'

/** A row of an entry with the reason for its rejection. `row` is its text as pushed. */
export function rejectedRow(
  entry: PlacedEntry,
  index: number,
  row: string,
  { code, field, message }: Pick<RejectedRow, 'code' | 'field' | 'message'>,
): RejectedRow {
  return {
    ingestId: entry.ingestId,
    position: entry.position + index,
    batchPosition: entry.position,
    batchRows: entry.rows,
    subscriberId: entry.subscriberId,
    index,
    row,
    field,
    code,
    message,
    receivedMs: entry.receivedMs,
    ...(isLineFormat(entry.format) ? { lineFormat: entry.format } : {}),
  }
}
