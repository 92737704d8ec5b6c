import type { QuarantineDecision } from '../../catalog/quarantine.ts'
import type { RejectedRow } from '../../catalog/rejected.ts'
import type { PlacedEntry } from '../../journal/journal.ts'
import { rejectedRow } from '../rejected-row.ts'
import { type RowCursor, rowCursor } from '../scan/row-cursor.ts'
import { firstRow, isSpent, type Reached, type RowOfEntry, type StepBudget } from '../step-budget.ts'

/** A longer row is kept with the body alone: no text is longer than half a gigabyte, and several copies of it are made. */
const textBytesMax = 64 * 1024 * 1024

const reason = {
  code: 'not_validated',
  field: null,
  message: 'the row was not validated: its push crashed validation, and is in quarantine',
} as const

/** The rows of an entry that was quarantined, from a place on as far as the budget goes, as rejected ones. */
export function unvalidatedRows(
  entry: PlacedEntry,
  from: RowOfEntry,
  { level }: QuarantineDecision,
  budget: StepBudget,
): { readonly rejected: readonly RejectedRow[]; readonly reached: Reached } {
  const rejected: RejectedRow[] = []
  // Where nothing of the body is looked at, there is no place in it.
  const cursor = level === 1 ? rowCursor(entry, from) : null
  let { index } = from
  for (; index < entry.rows && !isSpent(budget); index++) {
    const at = cursor?.at ?? 0
    rejected.push(rejectedRow(entry, index, cursor === null ? '' : textOf(cursor), reason))
    cursor?.next()
    budget.rows--
    budget.bytes -= (cursor?.at ?? 0) - at
    budget.rejected--
  }
  const place = cursor?.place ?? { index, at: 0 }
  return { rejected, reached: index < entry.rows ? { entries: 0, place } : { entries: 1, place: firstRow } }
}

function textOf(cursor: RowCursor): string {
  return cursor.textBytes > textBytesMax ? '' : cursor.text()
}
