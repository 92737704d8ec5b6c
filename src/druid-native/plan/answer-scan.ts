import type { ScannedRow } from '../../algebra/scan-plan.ts'
import type { EngineRow } from '../../sql-engine/sql-engine.ts'
import { scanText, segmentId } from '../run/scan-text.ts'
import type { PlannedAnswer, PlannedLimits } from './answer-plan.ts'
import type { NativeScanPlan } from './native-scan-plan.ts'

/** Rows that are written at a stretch. */
const rowsAtOnce = 512

/** The answer, in pieces; null where the SQL engine has to give it, and says why not. */
export function answerScan(
  plan: NativeScanPlan,
  scanned: readonly ScannedRow[],
  { resultRows }: Pick<PlannedLimits, 'resultRows'>,
): PlannedAnswer | null {
  const rows = Math.max(0, scanned.length - plan.offset)
  if (rows > resultRows) return null
  const { segmentsOf: name, outputs: columns } = plan
  const segmentOf = (ms: number): string | null => (name === null ? null : segmentId(name, ms))
  return { rows, pieces: scanText({ ...plan, columns, segmentOf }, shownRows(plan, scanned)) }
}

function* shownRows({ outputs, offset }: NativeScanPlan, rows: readonly ScannedRow[]): Generator<readonly EngineRow[]> {
  for (let from = offset; from < rows.length; from += rowsAtOnce) {
    yield rows
      .slice(from, from + rowsAtOnce)
      .map((row) => [BigInt(Number(row[0])), ...outputs.map(({ at }) => row[at]!)])
  }
}
