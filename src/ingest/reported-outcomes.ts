// Rows that were validated before have the same outcome again, with the same settings and version. If a limit was changed since, or a bug in
// validation was fixed, the reported outcome stays valid. Otherwise a row could be both stored and rejected, or neither.
import type { OutcomeCatalog } from '../catalog/catalog.ts'
import { keptRows } from '../model/row-batch.ts'
import type { ValidatedRun } from './entry-validator.ts'

/**
 * The runs with the outcomes reported for rows before `keptPosition`: a row rejected in the catalog stays rejected and is not stored. `rejected` has only
 * the rows that are not kept yet. It includes rows that were stored and no longer pass: rejecting them is better than losing them.
 */
export async function asReported(
  runs: readonly ValidatedRun[],
  keptPosition: number,
  outcomes: Pick<OutcomeCatalog, 'rejectedIn'>,
): Promise<readonly ValidatedRun[]> {
  const reported: ValidatedRun[] = []
  for (const run of runs) {
    const [first, last] = [run.spans[0], run.spans.at(-1)]
    if (run.kind === null || first === undefined || last === undefined || first.position >= keptPosition) {
      reported.push(run)
      continue
    }
    const end = Math.min(keptPosition, last.position + last.rows)
    reported.push(reportedRun(run, new Set(await outcomes.rejectedIn(run.ingestId, first.position, end)), keptPosition))
  }
  return reported
}

function reportedRun(run: ValidatedRun, rejectedBefore: ReadonlySet<number>, keptPosition: number): ValidatedRun {
  const { batch, items } = run
  const isOpen = ({ position }: { readonly position: number }): boolean => !rejectedBefore.has(position)
  // Items are kept together with the rejected rows, so a row that was not rejected is an item.
  const isItem = ({ position }: { readonly position: number }): boolean =>
    run.kind === 'metadata' && position < keptPosition
  const rejected = run.rejected.filter((row) => isOpen(row) && !isItem(row))
  const stays = (position: number): boolean => !rejectedBefore.has(position)
  return {
    ...run,
    batch: batch === null ? null : keptRows(batch, new Set(batch.positions.filter(stays))),
    items: items.filter((item) => !isItem(item)),
    rejected,
    rejectedRows: rejectedBefore.size + rejected.length,
  }
}
