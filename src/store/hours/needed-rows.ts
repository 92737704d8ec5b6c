// Checks whether plans need expired rows, of which only hours are kept.
import type { AveragePlan, OverTimePlan, Plan, Range, SnapPlan } from '../../model/plan.ts'
import { rowsExpired } from '../../model/rows-expired.ts'
import { hourMs } from './whole-hours.ts'

/** Rows exist from `untilMs` on. */
export interface Kept {
  readonly untilMs: number
}

const notOfHours =
  'only the hours of earlier rows are kept, which answer averages, aggregates and plots of whole hours, not single items or parts of an hour. Query these, or start the range at this date'

/** Throws Problem `rows_expired` unless the rows of a range exist. A range with an open start begins with the first of them. */
export function requireRows(kept: Kept | null, { fromMs, toMs }: Range, why = notOfHours): null {
  if (kept === null) return null
  const isThere = fromMs === Number.NEGATIVE_INFINITY ? toMs >= kept.untilMs : fromMs >= kept.untilMs
  if (isThere) return null
  throw rowsExpired(kept, why)
}

/**
 * The part of a range without rows, to be answered from hours; null where rows exist for all of it. Throws Problem `rows_expired` if that part is
 * not made of whole hours.
 */
export function keptRange(kept: Kept, { fromMs, toMs }: Range): Range | null {
  if (fromMs >= kept.untilMs) return null
  const isWhole = (ms: number): boolean => ms % hourMs === 0
  if (fromMs === toMs)
    throw rowsExpired(kept, 'only the hours of earlier rows are kept, and one instant is a part of an hour')
  // An end on a full hour is exclusive.
  const untilMs = toMs >= kept.untilMs ? kept.untilMs : isWhole(toMs) ? toMs : toMs + 1
  if (fromMs !== Number.NEGATIVE_INFINITY && !isWhole(fromMs))
    throw rowsExpired(kept, 'only the hours of earlier rows are kept, so a range must begin with a full hour of UTC')
  if (!isWhole(untilMs))
    throw rowsExpired(kept, 'only the hours of earlier rows are kept, so a range must end with a full hour of UTC')
  return { fromMs, toMs: untilMs - 1 }
}

/** The dates whose rows a plan needs. */
export function neededRange(plan: SnapPlan | Exclude<Plan, OverTimePlan | AveragePlan>): Range {
  switch (plan.kind) {
    case 'select':
      return plan.range
    case 'latest':
      return { fromMs: plan.fromMs, toMs: Number.POSITIVE_INFINITY }
    case 'last':
      return { fromMs: Number.NEGATIVE_INFINITY, toMs: plan.dateMs - 1 }
    case 'next':
      return { fromMs: plan.dateMs + 1, toMs: Number.POSITIVE_INFINITY }
    case 'snap':
      return {
        fromMs: plan.startMs ?? plan.ticksMs[0] ?? Number.POSITIVE_INFINITY,
        toMs: Number.POSITIVE_INFINITY,
      }
  }
}
