// Rows that were validated before come to the same outcome again, by the same settings and the same version. If a limit was changed
// meanwhile, or a fault of validation was mended, the outcome that was told stands. Otherwise a row would be both stored and rejected, or
// neither.
import type { OutcomeCatalog } from '../catalog/catalog.ts'
import { keptRows } from '../model/row-batch.ts'
import type { ValidatedRun } from './entry-validator.ts'

/**
 * The runs as they were told of rows before `keptPosition`: what is rejected by the catalog stays so and is not stored. `rejected` holds only those that
 * are to be kept still. A row that was stored, and does not pass any more, is one of them: better rejected than lost.
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
  // Items are kept with the rejected rows: what was no rejected row is an item.
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
