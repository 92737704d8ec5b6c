import type { RejectedRow } from '../../catalog/rejected.ts'
import type { AsideDecision } from '../../catalog/set-aside.ts'
import type { PlacedEntry } from '../../journal/journal.ts'
import { rejectedRow } from '../rejected-row.ts'
import { bodyRows, nextRowAt } from '../scan/body-rows.ts'
import { skipValue } from '../scan/skip.ts'
import { firstRow, isSpent, type Reached, type RowOfEntry, type StepBudget } from '../step-budget.ts'

/** A longer row is kept with the body alone: no text is longer than half a gigabyte, and several copies of it are made. */
const textBytesMax = 64 * 1024 * 1024

const reason = {
  code: 'not_judged',
  field: null,
  message: 'the row was not judged: the entry that it came with ended the judge, and was set aside',
} as const

/** The rows of an entry that was set aside, from a place on as far as the budget goes, as rejected ones. */
export function unjudgedRows(
  entry: PlacedEntry,
  from: RowOfEntry,
  { level }: AsideDecision,
  budget: StepBudget,
): { readonly rejected: readonly RejectedRow[]; readonly reached: Reached } {
  const rejected: RejectedRow[] = []
  const next = level === 1 ? textsOf(entry, from.at) : null
  let { index } = from
  let at = from.at
  for (; index < entry.rows && !isSpent(budget); index++) {
    const row = next?.() ?? { text: '', nextAt: 0 }
    rejected.push(rejectedRow(entry, index, row.text, reason))
    budget.rows--
    budget.bytes -= row.nextAt - at
    budget.rejected--
    at = row.nextAt
  }
  const reached = index < entry.rows ? { entries: 0, place: { index, at } } : { entries: 1, place: firstRow }
  return { rejected, reached }
}

/** The text of one row after the other, and where the one behind it begins. */
function textsOf(entry: PlacedEntry, from: number): () => { readonly text: string; readonly nextAt: number } {
  const rows = bodyRows(entry)
  let at = from === 0 ? rows.firstAt : from
  return () => {
    const end = skipValue(rows.bytes, at)
    const text = end - at > textBytesMax ? '' : rows.bytes.toString('utf8', at, end)
    at = nextRowAt(rows, end)
    return { text, nextAt: at }
  }
}
