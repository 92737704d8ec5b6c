import type { QuarantineDecision } from '../../catalog/quarantine.ts'
import type { RejectedRow } from '../../catalog/rejected.ts'
import type { PlacedEntry } from '../../journal/journal.ts'
import { rejectedRow } from '../rejected-row.ts'
import { type RowCursor, rowCursor } from '../scan/row-cursor.ts'
import { firstRow, isSpent, type Reached, type RowOfEntry, type StepBudget } from '../step-budget.ts'

/** A longer row is kept in the entry's body only: strings are limited to half a gigabyte, and a text is copied several times. */
const textBytesMax = 64 * 1024 * 1024

const reason = {
  code: 'not_validated',
  field: null,
  message: 'the row was not validated: its push crashed validation, and is in quarantine',
} as const

/** Returns the rows of a quarantined entry as rejected rows, from a place on until the budget is spent. */
export function unvalidatedRows(
  entry: PlacedEntry,
  from: RowOfEntry,
  { level }: QuarantineDecision,
  budget: StepBudget,
): { readonly rejected: readonly RejectedRow[]; readonly reached: Reached } {
  const rejected: RejectedRow[] = []
  // At level 2 the body is not read, so there is no place in it.
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
