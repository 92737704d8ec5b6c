// Rows that were judged before come to the same outcome again, by the same settings and the same version. If a limit was changed
// meanwhile, or a fault of judging was mended, the outcome that was told stands. Otherwise a row would be both stored and rejected, or
// neither.
import type { OutcomeCatalog } from '../catalog/catalog.ts'
import { keptRows } from '../model/row-batch.ts'
import type { JudgedRun } from './entry-judge.ts'

/**
 * The runs as they were told of rows before `keptPosition`: what is rejected by the catalog stays so and is not stored. `rejected` holds only those that
 * are to be kept still. A row that was stored, and does not pass any more, is one of them: better rejected than lost.
 */
export async function asTold(
  runs: readonly JudgedRun[],
  keptPosition: number,
  outcomes: Pick<OutcomeCatalog, 'rejectedIn'>,
): Promise<readonly JudgedRun[]> {
  const told: JudgedRun[] = []
  for (const run of runs) {
    const [first, last] = [run.spans[0], run.spans.at(-1)]
    if (run.kind === null || first === undefined || last === undefined || first.position >= keptPosition) {
      told.push(run)
      continue
    }
    const end = Math.min(keptPosition, last.position + last.rows)
    told.push(toldRun(run, new Set(await outcomes.rejectedIn(run.ingestId, first.position, end)), keptPosition))
  }
  return told
}

function toldRun(run: JudgedRun, rejectedBefore: ReadonlySet<number>, keptPosition: number): JudgedRun {
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
